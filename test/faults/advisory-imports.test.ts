import { stagingObjectKey } from '../../shared/store/keys.ts';
import { Table } from '../../shared/table/client.ts';
import { rememberNothing } from '../../shared/table/creations.ts';
import { insertImport } from '../../shared/table/repositories/advisory-imports.ts';
import { advisoryImportKey } from '../../shared/table/repositories/advisory-keys.ts';
import { archiveOf, importArchive, osvEntry, uploadArchive, useImportWorld } from '../gates/osv.ts';
import { useService } from '../harness/service.ts';
import { snapshot } from '../harness/snapshot.ts';

const service = useService();
const world = useImportWorld(service);

const functionId = 'importer';

/** `npm run test:advisories` imports 20,000 entries. */
const count = Number(process.env.ADVISORY_ENTRIES ?? 2_000);
const names = Math.floor(count * 0.6);

/** Entries as a registry has them: most alone on a name, and some on several. */
const entries = Array.from({ length: count }, (_, at) => {
  const affected = [at % names, ...(at % 100 === 0 ? [(at * 7) % names, (at * 11) % names] : [])].flatMap(
    (name) => osvEntry('', `package-${name}`, {}, { ranges: [], versions: [`1.${at % 9}.0`] }).affected,
  );
  return { ...osvEntry(`MAL-2026-${at}`, ''), affected };
});

/** The half of them that changes, and those that end. */
const later = entries.flatMap((entry, at) => {
  if (at % 10 === 3) return [];
  if (at % 2 === 0) return [entry];
  const modified = '2026-02-01T00:00:00Z';
  return [{ ...osvEntry(entry.id, `package-${(at * 3) % names}`), modified }];
});

/** What is known of advisories. */
const known = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries(Array.from(await snapshot()).filter(([key]) => /^ADVISOR(?:IES|YIDS)#/.test(key)));

/** Nobody renews the lease of a worker that ended: this is the time that it takes to be over. */
const endLease = async (importId: string): Promise<void> => {
  const update = { update: advisoryImportKey(importId), set: 'SET #runUntil = :past', values: { ':past': 0 } };
  await new Table().writeUnrecorded([update]);
};

const importOf = async (importId: string) => {
  const key = advisoryImportKey(importId);
  return (await new Table().read([key])).find(key);
};

/** Imports an archive with a worker that is killed after so many calls of the table, again and again. */
const importKilled = async (archive: Uint8Array, callsAtOnce: number): Promise<number> => {
  const objectKey = stagingObjectKey(`${await uploadArchive(world, archive)}-0`);
  const fields = { packageType: 'npm', allowsFewer: false, objectKey, size: archive.length, sha256: '' } as const;
  const begunNow = await insertImport(new Table(), { ...fields, createdBy: 'test' }, rememberNothing);
  if (begunNow === 'key reused') throw new Error('Nothing was remembered.');
  const { importId } = begunNow;
  let kills = -1;
  while ((await importOf(importId))?.state === 'running') {
    kills += 1;
    await endLease(importId);
    service.proxy.inject({ functionId, fault: 'commit-then-drop', after: callsAtOnce, times: 1 });
    service.proxy.inject({ functionId, fault: 'drop', after: callsAtOnce + 1 });
    await service.runner.invoke(functionId, { importId }).catch(() => {});
    service.proxy.heal();
  }
  expect(await importOf(importId)).toMatchObject({ state: 'done', phase: 'removing', position: 64 });
  return kills;
};

describe('An import of advisories that is killed at every thousandth entry', () => {
  it('ends in the same table as one that was not', async () => {
    const [first, second] = [archiveOf(entries), archiveOf(later)];
    expect(await importArchive(world, first)).toMatchObject({ state: 'done', changed: count });
    const all = await known();
    expect(await importArchive(world, second)).toMatchObject({ state: 'done', removed: count / 10 });
    const afterSecond = await known();
    await importArchive(world, archiveOf(entries.slice(0, 1)), { allowsFewerEntries: true });
    // A write of forty entries is two reads and a transaction.
    expect(await importKilled(first, 3 * 25)).toBeGreaterThanOrEqual(count / 1_000 - 1);
    expect(await known()).toEqual(all);
    expect(await importKilled(second, 3 * 25)).toBeGreaterThanOrEqual(count / 2_000);
    expect(await known()).toEqual(afterSecond);
  }, 900_000);
});
