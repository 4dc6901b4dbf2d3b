import {
  createBlobUpload as begin,
  publishImageContent as put,
  updateBlobUpload as update,
} from '../../functions/docker/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { everyUser, repositoryDeployers, repositoryManagers, repositoryViewers } from '../harness/callers.ts';
import type { Answer } from '../harness/client.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { digestOf, imageMediaType, manifestOf } from '../harness/images.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { ofPackages } from './of-packages.ts';

const repositoryOf = async (fixture: Fixture): Promise<string> => (await typedRepository(fixture, 'docker')).name;

interface Place {
  readonly workspace: string;
  readonly repository: string;
}

const placeOf = async (fixture: Fixture): Promise<Place> => ({
  workspace: fixture.workspace.id,
  repository: await repositoryOf(fixture),
});

const octets = (content: string) => ({ content, mediaType: 'application/octet-stream' });

/** Stores a blob by one request. */
const pushBlob = async (
  { client, systemAdmin: { bearer: as } }: Fixture,
  place: Place,
  image: string,
  content: string,
): Promise<void> => {
  const answer = await client.attempt(begin, {
    params: { ...place, path: `${image}/blobs/uploads/` },
    query: { digest: digestOf(content) },
    bytes: octets(content),
    as,
  });
  if (answer.status !== 201) throw new Error(`The blob was not stored: ${answer.text}`);
};

/** The image of all requests, and another blob. */
const image = { config: '{"architecture":"amd64"}', layers: ['the layer'] };
const manifest = manifestOf(image);
const otherBlob = 'other bytes';

const putManifest = async (
  { client, systemAdmin: { bearer: as } }: Fixture,
  place: Place,
  name: string,
  reference = '1.0',
): Promise<void> => {
  const answer = await client.attempt(put, {
    params: { ...place, path: `${name}/manifests/${reference}` },
    bytes: { content: manifest, mediaType: imageMediaType },
    as,
  });
  if (answer.status !== 201) throw new Error(`The manifest was not published: ${answer.text}`);
};

/** An image whose blobs are there, but not its manifest. */
const prepared = async (fixture: Fixture, place: Place): Promise<string> => {
  const name = uniqueName('image');
  for (const bytes of [image.config, ...image.layers]) await pushBlob(fixture, place, name, bytes);
  return name;
};

/** The workspaces that have stored all these bytes, so that to store them again for another image is one write. */
const stored = new Map<string, Promise<void>>();

const store = async (fixture: Fixture, place: Place): Promise<void> => {
  const name = await prepared(fixture, place);
  await pushBlob(fixture, place, name, otherBlob);
  await putManifest(fixture, place, name);
};

const requireStored = async (fixture: Fixture, place: Place): Promise<void> => {
  const storing = stored.get(place.workspace) ?? store(fixture, place);
  stored.set(place.workspace, storing);
  await storing;
};

const publishing = async (fixture: Fixture, place: Place) => {
  await requireStored(fixture, place);
  const name = await prepared(fixture, place);
  return {
    params: { ...place, path: `${name}/manifests/1.0` },
    bytes: { content: manifest, mediaType: imageMediaType },
  };
};

/** A manifest that is there, with a tag. */
const published = async (fixture: Fixture, place: Place) => {
  const name = await prepared(fixture, place);
  await putManifest(fixture, place, name);
  return { name, digest: digestOf(manifest) };
};

/** Within a limit the usage is read. */
const inLimitedWorkspace: Make = async (fixture) => {
  const { client, world, systemAdmin } = fixture;
  const workspace = await world.workspace();
  const { id: repository } = await world.repository(workspace, undefined, 'docker');
  const params = { workspace: workspace.id, repository };
  await client.succeed(updateWorkspace, { params, body: { storageLimit: 1_000_000 }, as: systemAdmin.bearer });
  return publishing(fixture, params);
};

const pathTo =
  (pathOf: (image: { readonly name: string; readonly digest: string; readonly layer: string }) => string): Make =>
  async (fixture) => {
    const place = await placeOf(fixture);
    const { name, digest } = await published(fixture, place);
    return { params: { ...place, path: pathOf({ name, digest, layer: digestOf(String(image.layers[0])) }) } };
  };

/** The request that goes on where an answer says. */
const goingOn = (place: Place, { headers }: Answer, query: Readonly<Record<string, string>> = {}) => {
  const location = new URL(String(headers.location), 'http://localhost');
  return {
    params: { ...place, path: location.pathname.split('/').slice(4).join('/') },
    query: { state: location.searchParams.get('state') ?? '', ...query },
  };
};

/** The upload of the system admin, at the address where it goes on. */
const ongoing =
  (content: string | undefined, query: Readonly<Record<string, string>> = {}): Make =>
  async (fixture) => {
    const { client, systemAdmin } = fixture;
    const place = await placeOf(fixture);
    await requireStored(fixture, place);
    // The first blob of an image is two writes.
    const name = await prepared(fixture, place);
    const params = { ...place, path: `${name}/blobs/uploads/` };
    const begun = await client.attempt(begin, { params, as: systemAdmin.bearer });
    return { ...goingOn(place, begun, query), ...(content !== undefined && { bytes: octets(content) }) };
  };

/** An upload of which a piece has come. */
const withPiece =
  (query: Readonly<Record<string, string>> = {}): Make =>
  async (fixture) => {
    const request = await ongoing(otherBlob)(fixture);
    const { workspace = '', repository = '' } = request.params ?? {};
    const answer = await fixture.client.attempt(update, { ...request, as: fixture.systemAdmin.bearer });
    return goingOn({ workspace, repository }, answer, query);
  };

/** An upload in a workspace with a limit. */
const ongoingWithinLimit: Make = async (fixture) => {
  const { client, systemAdmin } = fixture;
  const { params } = await inLimitedWorkspace(fixture);
  const { workspace = '', repository = '' } = params ?? {};
  const path = `${uniqueName('image')}/blobs/uploads/`;
  const begun = await client.attempt(begin, { params: { workspace, repository, path }, as: systemAdmin.bearer });
  return { ...goingOn({ workspace, repository }, begun), bytes: octets('some bytes') };
};

/** Nobody but its owner continues an upload. */
const ownersOnly = {
  ...repositoryManagers('404 UPLOAD_NOT_FOUND'),
  deployer: '404 UPLOAD_NOT_FOUND',
} as const;

export const docker: FactsOf<'docker'> = {
  'docker/get-registry': { answers: everyUser('200'), cost: 'access', ...ofPackages },
  'docker/get-image-content': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: pathTo(({ name, digest }) => `${name}/manifests/${digest}`),
    otherWays: [
      pathTo(({ name }) => `${name}/manifests/1.0`),
      pathTo(({ name, layer }) => `${name}/blobs/${layer}`),
      pathTo(({ name }) => `${name}/tags/list`),
      pathTo(({ name, digest }) => `${name}/referrers/${digest}`),
    ],
    ...ofPackages,
  },
  'docker/create-blob-upload': {
    answers: repositoryDeployers('202'),
    cost: 'begun upload',
    request: async (fixture) => ({
      params: { ...(await placeOf(fixture)), path: `${uniqueName('image')}/blobs/uploads/` },
    }),
    otherWays: [
      async (fixture) => {
        const place = await placeOf(fixture);
        await requireStored(fixture, place);
        const [name, content] = [await prepared(fixture, place), otherBlob];
        return {
          params: { ...place, path: `${name}/blobs/uploads/` },
          query: { digest: digestOf(content) },
          bytes: octets(content),
        };
      },
    ],
    ...ofPackages,
  },
  'docker/update-blob-upload': {
    answers: { ...ownersOnly, systemAdmin: '202' },
    cost: 'piece of an upload',
    request: ongoing('some bytes'),
    otherWays: [ongoingWithinLimit],
    ...ofPackages,
  },
  'docker/publish-image-content': {
    answers: repositoryDeployers('201'),
    cost: 'change of a version',
    request: async (fixture) => publishing(fixture, await placeOf(fixture)),
    otherWays: [
      inLimitedWorkspace,
      ongoing(otherBlob, { digest: digestOf(otherBlob) }),
      withPiece({ digest: digestOf(otherBlob) }),
    ],
    ...ofPackages,
  },
  'docker/delete-image-content': {
    answers: { ...ownersOnly, systemAdmin: '204' },
    cost: 'piece of an upload',
    request: ongoing(undefined),
    otherWays: [
      withPiece(),
      // Without a tag, which another write would remove: until then it leads nowhere.
      async (fixture) => {
        const place = await placeOf(fixture);
        const [name, digest] = [await prepared(fixture, place), digestOf(manifest)];
        await putManifest(fixture, place, name, digest);
        return { params: { ...place, path: `${name}/manifests/${digest}` } };
      },
      pathTo(({ name }) => `${name}/manifests/1.0`),
      async (fixture) => {
        const place = await placeOf(fixture);
        const [name, content] = [uniqueName('image'), otherBlob];
        await pushBlob(fixture, place, name, content);
        return { params: { ...place, path: `${name}/blobs/${digestOf(content)}` } };
      },
    ],
    ...ofPackages,
  },
};
