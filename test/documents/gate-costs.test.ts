import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { abbreviatedType, packumentOf, upstreamTarballOf, useNpmRepository } from '../harness/npm.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { useUpstream } from '../harness/upstream.ts';
import { uniqueName } from '../harness/world.ts';
import { prices } from './costs.ts';

const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const service = useService();
const upstream = useUpstream();
const npm = useNpmRepository(service);

/** The units that a kept packument of an old package and its tarball read. */
const unitsBehind = async (releaseGate: { minimumAgeHours: number } | null) => {
  const name = uniqueName('package');
  upstream.answer = ({ url = '', headers }, response) => {
    const isFull = !headers.accept?.includes(abbreviatedType);
    const packument = { ...packumentOf(upstream.url, name, { '1.0.0': {} }, isFull), modified: '2025-11-01T00:00:00Z' };
    response.end(url.endsWith('.tgz') ? upstreamTarballOf(name, '1.0.0') : JSON.stringify(packument));
  };
  const repository = await createRemote(service, npm.setting.workspace, {
    remoteRepositoryUrl: upstream.url,
    releaseGate,
  });
  const unitsOf = async (path: string): Promise<number> => {
    const ask = async () => npm.send(getNpmDocument, path, { repository, headers: { Accept: abbreviatedType } });
    // After the second one, the process remembers the caller, whatever other suites of it asked before.
    await ask();
    await ask();
    service.proxy.forget();
    service.proxy.countsUnits = true;
    expect((await ask()).status).toBe(200);
    return service.proxy.callsOf().reduce((total, { units = 0 }) => total + units, 0);
  };
  return { packument: await unitsOf(name), tarball: await unitsOf(`${name}/-/${name}-1.0.0.tgz`) };
};

describe('The runbook', () => {
  it('tells what a release gate costs, as measured now', async () => {
    const [open, gated] = [await unitsBehind(null), await unitsBehind({ minimumAgeHours: 72 })];
    const inWords = (units: number): string =>
      `${units} ${units === 1 ? 'unit' : 'units'} ($${(units * prices.table.tablePerMillionReadUnits).toFixed(2)} for a million)`;
    expect(runbook).toContain(
      `A release gate adds ${inWords(gated.packument - open.packument)} to the packument of an old package, and ${inWords(gated.tarball - open.tarball)} to its tarball.`,
    );
  });
});
