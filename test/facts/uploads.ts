import { createUpload } from '../../functions/packages/contracts.ts';
import { partBytesMin } from '../../functions/packages/upload-limits.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { repositoryDeployers, workspaceMembers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { announced, putParts, putUpload } from '../harness/uploads.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';

/** Its bytes are stored once: publishing it again under another name writes nothing but the publication. */
export const content = 'an uploaded file';

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async ({ client, world, systemAdmin }) => {
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace);
  const params = { workspace: workspace.id };
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 1_000 }, as: systemAdmin.bearer });
  return { params: { ...params, repository }, body: { files: [announced('package-1.0.0.tgz', content)] } };
};

type Announcement = Pick<Infer<typeof createUpload.request.body>, 'files' | 'partSizeInBytes'>;

/** A session of a system admin that waits for its file. */
const beginSession = async ({ client, workspace, universal, systemAdmin }: Fixture, fields: Announcement) => {
  const params = { workspace: workspace.id, repository: universal.id };
  const body = { packageName: uniqueName('package'), packageVersion: '1.0.0', ...fields };
  const { id, files } = await client.succeed(createUpload, { params, body, as: systemAdmin.bearer });
  return { files, request: { params: { repository: universal.id, upload: id } } };
};

const begun: Make = async (fixture) => {
  const { request: made } = await beginSession(fixture, { files: [announced('file.txt', content)] });
  return made;
};

/** A file that is sent in two parts. */
const inParts = Buffer.alloc(partBytesMin + 1, 'in parts');
const fieldsInParts = { partSizeInBytes: partBytesMin, files: [announced('file.bin', inParts)] };

const begunInParts: Make = async (fixture) => (await beginSession(fixture, fieldsInParts)).request;

/** The same sessions at addresses without a repository. */
const inWorkspace =
  (make: Make): Make =>
  async (fixture) => {
    const { params: { upload = '' } = {} } = await make(fixture);
    return { params: { upload } };
  };

/** A session of a system admin whose file has arrived. */
const arrived: Make = async (fixture) => {
  const { files, request: made } = await beginSession(fixture, { files: [announced('file.txt', content)] });
  for (const file of files) await putUpload(file, content);
  return made;
};

const arrivedInParts: Make = async (fixture) => {
  const { files, request: made } = await beginSession(fixture, fieldsInParts);
  for (const file of files) await putParts(file, inParts);
  return made;
};

type FactsOfPackages = FactsOf<'packages'>;

/** The rows of upload sessions. */
export const uploads: Pick<FactsOfPackages, Extract<keyof FactsOfPackages, `${string}upload${string}`>> = {
  'packages/create-upload': {
    answers: repositoryDeployers('201'),
    cost: 'begun upload',
    request: async () => ({ body: { files: [announced(`${uniqueName('package')}-1.0.0.tgz`, content)] } }),
    otherWays: [inLimitedWorkspace],
    ...ofPackages,
  },
  'packages/create-upload-urls': {
    // A session belongs to the user who created it.
    answers: {
      ...repositoryDeployers('404 UPLOAD_NOT_FOUND'),
      systemAdmin: '200',
    },
    cost: 'item',
    request: begun,
    otherWays: [begunInParts],
    ...ofPackages,
  },
  'packages/list-uploads': {
    answers: workspaceMembers('200'),
    cost: 'document',
    request: async (fixture) => {
      await begun(fixture);
      return {};
    },
    released: 'about what no release has stored',
  },
  'packages/delete-upload': {
    // A session belongs to the user who created it, and to the admins of the workspace.
    answers: { ...workspaceMembers('404 UPLOAD_NOT_FOUND'), workspaceAdmin: '200', systemAdmin: '200' },
    cost: 'end of a session',
    request: inWorkspace(begun),
    otherWays: [inWorkspace(begunInParts)],
    released: 'about what no release has stored',
    examples: [],
  },
  'packages/publish-upload': {
    // A session belongs to the user who created it.
    answers: {
      ...repositoryDeployers('404 UPLOAD_NOT_FOUND'),
      systemAdmin: '201',
    },
    cost: 'publication',
    request: arrived,
    otherWays: [arrivedInParts],
    ...ofPackages,
  },
};
