import { getConanDocument, getConanSearch } from '../../../functions/conan/contracts.ts';
import { cachedDocumentKey } from '../../../shared/table/packages/package-keys.ts';
import { askIn, json, newName, sent } from '../../gates/gated-type.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote } from '../../harness/repositories.ts';

const { service, upstream, setting } = useRemotes();
const ask = askIn(service, setting);

const [packageId, built, first, second] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
  string,
];

/** What an upstream says of a file without a time. */
const untimed = '1970-01-01T00:00:00.000+0000';
const longAgo = '2020-01-01T00:00:00.000+0000';

const pathsOf = (name: string) => {
  const recipe = `${name}/1.0.0/_/_`;
  return { recipe, binaryOf: (revision: string) => `${recipe}/revisions/${revision}/packages/${packageId}` };
};

/** Lets the upstream have these revisions of a recipe, the newest one first, each with a binary. */
const serve = (name: string, listed: readonly string[], binaryTime: string): void => {
  const { recipe, binaryOf } = pathsOf(name);
  const revisions = listed.map((revision) => ({ revision, time: untimed }));
  const binary = { revision: built, time: binaryTime };
  const documents = [
    ['search', { results: [`${name}/1.0.0`] }],
    [`${recipe}/latest`, revisions[0]],
    [`${recipe}/revisions`, { revisions }],
    ...listed.flatMap((revision) => [
      [`${recipe}/revisions/${revision}/files`, { files: { 'conanfile.py': {} } }] as const,
      [`${binaryOf(revision)}/latest`, binary] as const,
      [`${binaryOf(revision)}/revisions`, { revisions: [binary] }] as const,
    ]),
  ] as const;
  const routes = documents.map(([path, content]) => [`/v2/conans/${path}`, JSON.stringify(content)]);
  upstream.answer = sent(Object.fromEntries(routes));
};

type Gate = NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'];

const remoteOf = async (name: string, releaseGate: Gate) => {
  const repository = await createRemote(service, setting.workspace, {
    packageType: 'conan',
    remoteRepositoryUrl: upstream.url,
    metadataCacheTimeTillRevalidation: 60_000,
    releaseGate,
  });
  const { recipe, binaryOf } = pathsOf(name);
  const asked = async (path: string) => ask(getConanDocument, 'conan', repository, `v2/conans/${path}`);
  return {
    statusOf: async (path: string) => (await asked(path)).status,
    shown: async () => {
      const { revisions } = json(await asked(`${recipe}/revisions`)) as { revisions: { revision: string }[] };
      const { revision } = json(await asked(`${recipe}/latest`)) as { revision: string };
      return [revision, ...revisions.map((each) => each.revision)];
    },
    found: async () => {
      const answer = await ask(getConanSearch, 'conan', repository, `v2/conans/search?q=${name}/*`);
      return (json(answer) as { results: string[] }).results;
    },
    passTime: async () => {
      for (const document of ['revisions', 'latest'])
        await age(cachedDocumentKey({ contentId: repository.id, name }, `${recipe}/${document}`), 60_000);
    },
    ofRevision: (revision: string) => [
      `${recipe}/revisions/${revision}/files`,
      `${binaryOf(revision)}/latest`,
      `${binaryOf(revision)}/revisions`,
    ],
  };
};

describe.each([untimed, longAgo])('A revision of Conan whose time is none, with a binary of %s', (binaryTime) => {
  it('counts from when it was first seen, and its binary with it', async () => {
    const name = newName();
    serve(name, [first], binaryTime);
    const remote = await remoteOf(name, { minimumAgeHours: 72 });
    for (const path of remote.ofRevision(first)) expect([path, await remote.statusOf(path)]).toEqual([path, 200]);
    expect(await remote.shown()).toEqual([first, first]);
    serve(name, [second, first], binaryTime);
    await remote.passTime();
    for (const path of remote.ofRevision(second)) expect([path, await remote.statusOf(path)]).toEqual([path, 403]);
    for (const path of remote.ofRevision(first)) expect([path, await remote.statusOf(path)]).toEqual([path, 200]);
    expect(await remote.shown()).toEqual([first, first]);
  });

  it('is held back with its recipe and its binary where versions without a time are', async () => {
    const name = newName();
    serve(name, [first], binaryTime);
    const remote = await remoteOf(name, { minimumAgeHours: 72, untimed: 'hold' });
    expect(await remote.found()).toEqual([]);
    for (const path of remote.ofRevision(first)) expect([path, await remote.statusOf(path)]).toEqual([path, 403]);
  });
});
