import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { compareVersions } from '../../functions/conan/versions.ts';
import { PythonTools } from '../clients/drivers/python-tools.ts';

/** `npm run test:orders`: what Conan itself says of versions. It is installed from the Python Package Index at the first run. */
const pairs = Number(process.env.ORDER_PAIRS ?? 10_000);

const tools = new PythonTools('conan==2.34.0');

const script = `
import json, sys
from conan.internal.model.version import Version
print(json.dumps([-1 if Version(a) < Version(b) else 1 if Version(b) < Version(a) else 0 for a, b in json.load(sys.stdin)]))`;

/** Few different parts, so that many versions share their beginnings. */
const part = fc.constantFrom('0', '00', '1', '2', '10', '01', '1_0', 'a', 'b', 'rc', '1a', '_', 'A');
const versions = fc
  .array(fc.tuple(part, fc.constantFrom('.', '.', '.', '-', '+', '')), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.flat().join(''));

it('two versions have the order of Conan', async () => {
  await tools.prepare();
  const couples = fc.sample(fc.tuple(versions, versions), pairs);
  const options = { input: JSON.stringify(couples), maxBuffer: 1 << 28 };
  const theirs = JSON.parse(execFileSync(tools.command('python'), ['-c', script], options).toString()) as number[];
  const different = couples
    .map((couple, at) => [couple, Math.sign(compareVersions(...couple)), theirs[at]] as const)
    .filter(([, ours, their]) => ours !== their);
  expect(different).toEqual([]);
  expect(new Set(theirs).size).toBe(3);
}, 600_000);
