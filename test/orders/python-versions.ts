import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { sortedVersions } from '../../functions/pypi/version-order.ts';
import { normalVersion } from '../../functions/pypi/versions.ts';
import { PythonTools } from '../clients/drivers/python-tools.ts';
import { anything, versions } from '../functions/pypi/specification.ts';

/** `npm run test:orders`: what Python itself says of versions. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const tools = new PythonTools('packaging==26.3');

/** Prints the normal form of each text of a JSON array, and null for what is no version. */
const script = `
import json, sys
from packaging.version import InvalidVersion, Version
def normal(text):
    try:
        return str(Version(text))
    except InvalidVersion:
        return None
print(json.dumps([normal(text) for text in json.load(sys.stdin)]))
`;

it('every version has the normal form of the packaging library, and nothing else is a version', async () => {
  await tools.prepare();
  const spelled = fc.sample(versions, pairs).map((each) => each.spelled);
  // Python also accepts white space around a version, which no name of a file has, and longer ones.
  const others = fc.sample(anything, pairs).filter((text) => text.trim() === text && text.isWellFormed());
  const texts = [...spelled, ...others];
  const input = JSON.stringify(texts);
  const printed = execFileSync(tools.command('python'), ['-c', script], { input, maxBuffer: 1 << 28 });
  const theirs = JSON.parse(printed.toString()) as (string | null)[];
  const different = texts
    .map((text, at) => [text, normalVersion(text) ?? null, theirs[at]] as const)
    .filter(([, ours, their]) => ours !== their);
  expect(different).toEqual([]);
}, 300_000);

const sorting =
  'import json, sys\nfrom packaging.version import Version\nprint(json.dumps(sorted(json.load(sys.stdin), key=Version)))';

it('versions have the order of the packaging library', async () => {
  await tools.prepare();
  const sample = fc.sample(versions, pairs).map((each) => normalVersion(each.spelled) ?? '1');
  const input = JSON.stringify(sample);
  const printed = execFileSync(tools.command('python'), ['-c', sorting], { input, maxBuffer: 1 << 28 });
  // Equal versions keep their places in both.
  expect(sortedVersions(sample)).toEqual(JSON.parse(printed.toString()));
}, 300_000);
