import { deleteContent } from '../../functions/packages/contracts.ts';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import { fetchChecked } from '../harness/client.ts';
import { checksumsOfGo } from '../harness/go.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { mirrorOf, serving, useUpstream } from '../harness/upstream.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { type DocumentedType, documentedTypes, type PackageDocument, repositoryPath } from './package-documents.ts';

jest.setTimeout(1_800_000);

const service = useService();
const upstream = useUpstream();
/** All changes, each way to ask, and every pair alone; otherwise all documents one after the other, in either order. */
const allPairs = Boolean(process.env.ALL_FORMATS);
let as: string;

beforeAll(async () => {
  as = (await service.world.systemAdmin()).bearer;
});

/** A package that two local repositories and an upstream have, each with versions of its own, and all of them together. */
interface World {
  readonly type: DocumentedType;
  readonly workspace: Named;
  readonly name: string;
  readonly first: Named;
  readonly second: Named;
  readonly remote: Named | undefined;
  readonly virtual: Named;
}

const publish = async ({ type, workspace, name }: Omit<World, 'virtual'>, repository: Named, version: string) =>
  type.publish(service, { workspace, repository, name, version, as }, uniqueName('content'));

const mirrored = async ({ packageType }: DocumentedType, workspace: Named, origin: Named): Promise<Named> =>
  createRemote(service, workspace, {
    packageType,
    remoteRepositoryUrl: upstream.url + repositoryPath(packageType, workspace.id, origin.id),
  });

const change = async ({ workspace, virtual }: World, body: object): Promise<void> => {
  const params = { workspace: workspace.id, repository: virtual.id };
  await service.client.succeed(updateRepository, { params, body, as });
};

const ruleOf = ({ type, name }: Pick<World, 'type' | 'name'>): string => type.ruleOf?.(name) ?? name;

const newWorld = async (type: DocumentedType): Promise<World> => {
  const workspace = await service.world.workspace();
  const { packageType, nameOf, hasNoMirror } = type;
  const local = async () => service.world.repository(workspace, undefined, packageType);
  const [first, second, origin] = [await local(), await local(), await local()];
  const remote = hasNoMirror ? undefined : await mirrored(type, workspace, origin);
  const world = { type, workspace, name: nameOf(uniqueName('pairs')), first, second, remote };
  for (const [index, repository] of [first, second, origin].entries())
    for (const version of ['1.0.0', `1.${index + 1}.0`]) await publish(world, repository, version);
  const children = [first, second, ...(remote ? [remote] : [])];
  const virtual = await createVirtual(service, workspace, children, { packageType });
  // A rule about another package, so that the rules for names change, and not whether there are any.
  await change({ ...world, virtual }, { upstreamNames: { allow: [ruleOf({ type, name: nameOf('other') })] } });
  return { ...world, virtual };
};

type Changes = Readonly<Record<string, (world: World) => Promise<void>>>;

/** What changes, one after the other. */
const changes: Changes = {
  'when the children change their order': async (world) =>
    change(world, {
      childRepositoryIds: [world.second, world.first, ...(world.remote ? [world.remote] : [])].map(({ id }) => id),
    }),
  'when an upstream may add its versions': async (world) =>
    change(world, { upstreamNames: { allow: [ruleOf(world)] } }),
  'when a child is emptied and as many versions are published again': async (world) => {
    // By now, it is not the first child any more.
    const { workspace, first } = world;
    await service.client.succeed(deleteContent, { params: { workspace: workspace.id, repository: first.id }, as });
    for (const version of ['1.0.0', '1.4.0']) await publish(world, first, version);
  },
};
const moreChanges: Changes = {
  'when an upstream may add nothing any more': async (world) =>
    change(world, { upstreamNames: { allow: [ruleOf(world)], block: [ruleOf(world)] } }),
  'when one more version is published': async (world) => publish(world, world.second, '1.9.0'),
};

/** A document as one client asks for it. */
interface Question {
  readonly document: PackageDocument;
  readonly url: string;
  readonly encoding: string;
}

/** The ways to ask for all documents: by IDs, by names, and compressed. After a change, the first way tells enough. */
const questionsOf = ({ type, workspace, virtual, name }: World, isChanged: boolean): readonly Question[] => {
  const [byId, byName] = [
    repositoryPath(type.packageType, workspace.id, virtual.id),
    repositoryPath(type.packageType, workspace.name, virtual.name),
  ];
  const ways = [
    { base: byId, encoding: 'identity' },
    { base: byName, encoding: 'identity' },
    { base: byName, encoding: 'gzip' },
  ];
  return ways
    .slice(0, isChanged && !allPairs ? 1 : ways.length)
    .flatMap(({ base, encoding }) =>
      type
        .documentsOf(name)
        .map((document) => ({ document, url: service.runner.url + base + document.path, encoding })),
    );
};

interface Told {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: string;
}

const ask = async ({ document, url, encoding }: Question, known: readonly string[] = []): Promise<Told> => {
  const { contract, accept } = document;
  const answer = await fetchChecked(contract, url, {
    Authorization: as,
    'Accept-Encoding': encoding,
    ...(accept !== undefined && { Accept: accept }),
    ...(known.length > 0 && { 'If-None-Match': known.join(', ') }),
  });
  return { status: answer.status, etag: answer.headers.get('etag') ?? undefined, body: await answer.text() };
};

/** The body behind each ETag that the documents of one package ever had. */
type Bodies = Map<string, string>;

/** Refuses an ETag that once stood for another body. */
const remember = (bodies: Bodies, { url }: Question, { status, etag, body }: Told): void => {
  expect([url, status]).toEqual([url, 200]);
  if (etag === undefined) return;
  expect([url, bodies.get(etag) ?? body]).toEqual([url, body]);
  bodies.set(etag, body);
};

/** The number of ETags that the headers of a request have room for. */
const knownMax = 180;

/** The newest ETags of other bodies. */
const othersThan = (body: string, bodies: Bodies): string[] =>
  [...bodies]
    .filter(([, other]) => other !== body)
    .map(([etag]) => etag)
    .slice(-knownMax);

/** Asks for each document what a client asks that has all others. It must get the document, as `told` has it. */
const askWithOthers = async (told: ReadonlyMap<Question, Told>, bodies: Bodies): Promise<void> => {
  for (const [question, expected] of [...told].toReversed())
    expect([question.url, await ask(question, othersThan(expected.body, bodies))]).toEqual([question.url, expected]);
};

/** Asks for each document right after each other one, as a client that has the other. One way to ask tells enough. */
const askPairs = async (told: ReadonlyMap<Question, Told>): Promise<void> => {
  const byId = [...told].slice(0, told.size / 3);
  for (const [first, { etag, body }] of byId)
    for (const [second, expected] of byId) {
      await ask(first);
      const known = etag !== undefined && body !== expected.body ? [etag] : [];
      expect([first.url, second.url, await ask(second, known)]).toEqual([first.url, second.url, expected]);
    }
};

/** What the documents of each world said last, and ever. */
const states = new Map<World, { readonly bodies: Bodies; told: ReadonlyMap<Question, Told> }>();

const bodiesOf = (told: ReadonlyMap<Question, Told>): readonly string[] =>
  Array.from(told.values(), ({ body }) => body);

/** Asks for all documents of all packages, whose functions already answered other things, and again with new functions. */
const askAll = async (isChanged: boolean): Promise<void> => {
  for (const [world, state] of states) {
    const told = new Map<Question, Told>();
    for (const question of questionsOf(world, isChanged)) {
      const answer = await ask(question);
      remember(state.bodies, question, answer);
      told.set(question, answer);
    }
    state.told = told;
    await askWithOthers(told, state.bodies);
    if (allPairs) await askPairs(told);
  }
  await service.runner.reload();
  for (const { told } of states.values())
    for (const [question, expected] of [...told].toReversed())
      expect([question.url, await ask(question)]).toEqual([question.url, expected]);
};

/** Three of the types, others each day; all of them in `npm run test:formats` and for planted bugs. */
const types = process.env.ALL_DOCUMENTS ? documentedTypes : sampleOf(documentedTypes, today, 2);

describe('The documents of a package', () => {
  beforeEach(() => {
    const mirror = mirrorOf(service, upstream, as);
    upstream.answer = (request, response) => {
      const [, checksum] = Object.entries(checksumsOfGo).find(([path]) => request.url?.endsWith(path)) ?? [];
      return (checksum === undefined ? mirror : serving(checksum))(request, response);
    };
  });

  it('have each its own ETag and bytes, also for who knows those of others', async () => {
    for (const type of types) states.set(await newWorld(type), { bodies: new Map(), told: new Map() });
    await askAll(false);
  });

  it.each(Object.entries({ ...changes, ...(allPairs && moreChanges) }))(
    'are others, under other ETags, %s',
    async (name, act) => {
      const before = new Map([...states].map(([world, { told }]) => [world, bodiesOf(told)]));
      for (const world of states.keys()) await act(world);
      await askAll(true);
      for (const [world, { told }] of states) {
        const isChanged = bodiesOf(told).some((body) => !before.get(world)?.includes(body));
        // Without an upstream, no rule about upstreams changes anything.
        const promised = world.remote !== undefined || !name.includes('upstream');
        expect([world.type.packageType, isChanged]).toEqual([world.type.packageType, promised]);
      }
    },
  );
});
