import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getPackageAdvisories } from '../../functions/advisories/contracts.ts';
import { archiveOf, endOf, importArchive, osvEntry, useImportWorld } from '../gates/osv.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { prices } from './costs.ts';

const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const service = useService();
const world = useImportWorld(service);

describe('The runbook', () => {
  it('has lines that import an archive of advisories', async () => {
    const name = uniqueName('package');
    const folder = mkdtempSync(join(tmpdir(), 'advisories-'));
    try {
      writeFileSync(join(folder, 'all.zip'), archiveOf([osvEntry('MAL-2026-1', name)]));
      const [, script = ''] = /^## Import advisories\n.*?```sh\n(.*?)```/ms.exec(runbook) ?? [];
      const [download = '', ...others] = script.split('\n');
      expect(download).toBe('curl -fO https://osv-vulnerabilities.storage.googleapis.com/npm/all.zip');
      const lines = others
        .join('\n')
        .replace('/acme/', `/${world.workspace.name}/`)
        .replace('/tools/', `/${world.repository.name}/`);
      const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', BASE: service.runner.url, ADMIN: `token:${world.admin.token}` },
      });
      const begun = JSON.parse(stdout) as { id: string };
      expect(await endOf(world, begun.id)).toMatchObject({ state: 'done', entries: 1, changed: 1 });
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { advisories } = await service.client.succeed(getPackageAdvisories, {
      params: { packageType: 'npm', package: name },
      as: world.admin.bearer,
    });
    expect(advisories.map(({ id }) => id)).toEqual(['MAL-2026-1']);
  });

  it('tells what an import of advisories costs, as measured now', async () => {
    const entries = Array.from({ length: 400 }, (_, at) => osvEntry(`MAL-2026-${at}`, uniqueName('package')));
    service.proxy.forget();
    service.proxy.countsUnits = true;
    await importArchive(world, archiveOf(entries), { allowsFewerEntries: true });
    const measured = service.proxy
      .callsOf('importer')
      .filter(({ isWrite }) => isWrite)
      .reduce((total, { units = 0 }) => total + units, 0);
    const [, told = ''] =
      /^The first import of the 229,000 entries of npm writes about ([\d,]+) units/m.exec(runbook) ?? [];
    const units = Number(told.replaceAll(',', ''));
    const ofNpm = (measured / entries.length) * 229_000;
    expect([units > ofNpm * 0.9, units < ofNpm * 1.1, ofNpm]).toEqual([true, true, expect.any(Number)]);
    const { tablePerMillionReadUnits, tablePerMillionWriteUnits } = prices.table;
    expect(runbook).toContain(`about ${told} units, $${((units * tablePerMillionWriteUnits) / 1e6).toFixed(2)} at`);
    expect(runbook).toContain(`reads 229,000 units for $${((229_000 * tablePerMillionReadUnits) / 1e6).toFixed(2)}`);
  });
});
