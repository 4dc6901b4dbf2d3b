import { randomUUID } from 'node:crypto';
import { getAdvisoryImport } from '../../../functions/advisories/contracts.ts';
import { stagingObjectKey } from '../../../shared/store/keys.ts';
import { Table } from '../../../shared/table/client.ts';
import { rememberNothing } from '../../../shared/table/creations.ts';
import { insertImport } from '../../../shared/table/repositories/advisory-imports.ts';
import { advisoryImportKey } from '../../../shared/table/repositories/advisory-keys.ts';
import { endOf, type ImportWorld } from '../../gates/osv.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';

const service = useService();

const get = async (id: string) =>
  service.client.attempt(getAdvisoryImport, {
    params: { import: id },
    as: (await service.world.systemAdmin()).bearer,
  });

/** An import that nobody works at, of an archive that is not there. */
const begun = async (): Promise<string> => {
  const fields = { packageType: 'npm', allowsFewer: false, objectKey: stagingObjectKey(randomUUID()) } as const;
  const archive = { size: 1, sha256: '', createdBy: randomUUID() };
  const found = await insertImport(new Table(), { ...fields, ...archive }, rememberNothing);
  return found === 'key reused' ? '' : found.importId;
};

const endLease = async (id: string): Promise<void> => {
  const update = { update: advisoryImportKey(id), set: 'SET #runUntil = :past', values: { ':past': 0 } };
  await new Table().writeUnrecorded([update]);
};

describe('GET /1/advisories/imports/{import}', () => {
  itAnswers('404 ADVISORY_IMPORT_NOT_FOUND for an unknown ID', async () => get(randomUUID()));

  itAnswers('200 and goes on with an import that nobody works at', async () => {
    const id = await begun();
    const answer = await get(id.toUpperCase());
    expect(answer.result).toMatchObject({ id, state: 'running', phase: 'checking', position: 0, problem: null });
    await endLease(id);
    const world = { service, admin: await service.world.systemAdmin() } as ImportWorld;
    expect(await endOf(world, id)).toMatchObject({
      state: 'refused',
      problem: 'The archive is gone: upload it again, and import it within a day.',
    });
    return answer;
  });

  it('says of an import that a later one has replaced it', async () => {
    const [first, second] = [await begun(), await begun()];
    const world = { service, admin: await service.world.systemAdmin() } as ImportWorld;
    for (const id of [first, second]) await endLease(id);
    expect(await endOf(world, first)).toMatchObject({ state: 'replaced' });
    expect(await endOf(world, second)).toMatchObject({ state: 'refused' });
  });
});
