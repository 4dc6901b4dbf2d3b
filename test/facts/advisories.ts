import { randomUUID } from 'node:crypto';
import { createAdvisoryImport, getAdvisoryImport } from '../../functions/advisories/contracts.ts';
import { createUpload } from '../../functions/packages/contracts.ts';
import { stagingObjectKey } from '../../shared/store/keys.ts';
import { Table } from '../../shared/table/client.ts';
import { rememberNothing } from '../../shared/table/creations.ts';
import { insertImport } from '../../shared/table/repositories/advisory-imports.ts';
import { advisoryImportKey } from '../../shared/table/repositories/advisory-keys.ts';
import { archiveOf, osvEntry } from '../gates/osv.ts';
import { everyUser, systemAdmins } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { announced, putUpload } from '../harness/uploads.ts';
import { uniqueName } from '../harness/world.ts';

/** A session of the system admin with an archive that has arrived. By default it is none, so the worker refuses it. */
const arrivedArchive = async (
  { client, workspace, repository, systemAdmin }: Fixture,
  content: string | Uint8Array = 'no archive',
) => {
  const session = await client.succeed(createUpload, {
    params: { workspace: workspace.id, repository: repository.id },
    body: { files: [announced('all-1.0.0.tgz', content)] },
    as: systemAdmin.bearer,
  });
  const [file] = session.files;
  const sent = file && (await putUpload(file, content));
  if (sent?.status !== 200) throw new Error('The archive did not arrive.');
  return { packageType: 'cargo' as const, upload: session.id };
};

/** An entry about a crate. What is known of npm answers audits, which other endpoints are tried with. */
const crateEntry = (id: string) => {
  const name = uniqueName('crate');
  return osvEntry(id, name, {}, { package: { ecosystem: 'crates.io', name } });
};

/** After two imports, of which the second one takes an entry back. */
const afterImports: Make = async (fixture) => {
  const { client, systemAdmin } = fixture;
  const as = systemAdmin.bearer;
  const [one, other] = [crateEntry('MAL-1'), crateEntry('MAL-2')];
  for (const entries of [[one, other], [one]]) {
    const body = { ...(await arrivedArchive(fixture, archiveOf(entries))), allowsFewerEntries: true };
    const { id } = await client.succeed(createAdvisoryImport, { body, as });
    for (let state = 'running'; state === 'running'; )
      ({ state } = await client.succeed(getAdvisoryImport, { params: { import: id }, as }));
  }
  return { body: await arrivedArchive(fixture) };
};

/** An import whose worker has its lease until a time. */
const leasedUntil =
  (runUntil: number): Make =>
  async () => {
    const archive = { objectKey: stagingObjectKey(randomUUID()), size: 1, sha256: '', createdBy: randomUUID() };
    const fields = { packageType: 'npm', allowsFewer: false, ...archive } as const;
    const begun = await insertImport(new Table(), fields, rememberNothing);
    if (begun === 'key reused') throw new Error('Nothing was remembered.');
    const { importId } = begun;
    const update = {
      update: advisoryImportKey(importId),
      set: 'SET #runUntil = :until',
      values: { ':until': runUntil },
    };
    await new Table().writeUnrecorded([update]);
    return { params: { import: importId } };
  };

export const advisories: FactsOf<'advisories'> = {
  'advisories/create-advisory-import': {
    answers: systemAdmins('201'),
    cost: 'creation',
    request: async (fixture) => ({ body: await arrivedArchive(fixture) }),
    otherWays: [afterImports],
    released: 'about what no release has stored',
    // No document has an archive that arrived: the suite of the endpoint has what succeeds.
    examples: [],
  },
  'advisories/get-advisory-import': {
    answers: systemAdmins('200'),
    cost: 'item',
    request: leasedUntil(Date.now() + 86_400_000),
    // An import that nobody works at.
    otherWays: [leasedUntil(0)],
    released: 'about what no release has stored',
    examples: [],
  },
  'advisories/get-package-advisories': {
    answers: everyUser('200'),
    cost: 'document of two',
    request: async () => ({ params: { packageType: 'npm', package: 'axios' } }),
    released: 'about what no release has stored',
  },
};
