import { randomUUID } from 'node:crypto';
import { deletePackage } from '../../functions/packages/contracts.ts';
import { createTrust, exchangeToken } from '../../functions/trusts/contracts.ts';
import { type Grant, inlineGrantsMax } from '../../shared/table/identity/grants.ts';
import { fetchChecked } from '../harness/client.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { createVirtual } from '../harness/repositories.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { insertGrants } from '../harness/stored-grants.ts';
import { readItems } from '../harness/stored-items.ts';
import { engineFolderVariable } from '../harness/table-engine.ts';
import { trustBody, useIssuer } from '../harness/trusts.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import {
  type DocumentedType,
  documentedTypes,
  type PackageDocument,
  repositoryPath,
} from '../requests/package-documents.ts';

jest.setTimeout(300_000);

const service = useService();

/** `npm run test:engine` is about what another engine refuses, not about how it counts. */
const countsUnits = process.env[engineFolderVariable] === undefined;

let as: string;

beforeAll(async () => {
  as = (await service.world.systemAdmin()).bearer;
  service.proxy.countsUnits = countsUnits;
});

/** Documents that are made from other items than the heads of packages, or whose form follows from an index. */
const readsMore =
  /^simple\/$|@latest$|maven-metadata|manifests\/|tags\/list|referrers\/|^(?:versions|names|specs\.4\.8\.gz)$|repomd\.xml$|InRelease$|^v2\/conans\//;

/** Lists and searches of a whole repository, what is the same for all packages, and what upstreams alone have. */
const ofNoPackage =
  /^(?:packages\.json|list\.json|search\.json\?.*|v3\/(?:index\.json|query|autocomplete).*|sumdb\/.*)$/;

const documentsOf = (type: DocumentedType, name: string): readonly PackageDocument[] =>
  type.documentsOf(name).filter(({ path }) => !readsMore.test(path) && !ofNoPackage.test(path));

const types = documentedTypes.filter((type) => documentsOf(type, 'a:b').length > 0);

interface Question {
  readonly method: 'GET' | 'HEAD';
  readonly url: string;
  readonly known?: string | undefined;
  /** The caller, if it is not the admin. */
  readonly as?: string;
}

const ask = async ({ contract, accept }: PackageDocument, { method, url, known, as: caller = as }: Question) => {
  const headers = {
    Authorization: caller,
    ...(accept !== undefined && { Accept: accept }),
    ...(known !== undefined && { 'If-None-Match': known }),
  };
  const answer = method === 'GET' ? await fetchChecked(contract, url, headers) : await fetch(url, { method, headers });
  await answer.arrayBuffer();
  return answer;
};

/** The calls of the table and the units of a request, for a client whose credential is known. */
const costOf = async (document: PackageDocument, question: Question, status: number) => {
  service.proxy.forget();
  const answer = await ask(document, question);
  expect([question.method, question.url, answer.status]).toEqual([question.method, question.url, status]);
  const operations = service.proxy.callsOf().map(({ operation }) => operation);
  return { operations, units: countsUnits ? service.proxy.consumed(false) : undefined };
};

/** Repositories with a package each; of two, a virtual one combines them. */
const published = async (
  type: DocumentedType,
  count: 1 | 2,
): Promise<{ readonly base: string; readonly name: string; readonly workspace: Named; readonly first: Named }> => {
  const workspace = await service.world.workspace();
  const name = type.nameOf(uniqueName('reads'));
  const locals: Named[] = [];
  for (let each = 1; each <= count; each += 1) {
    const repository = await service.world.repository(workspace, undefined, type.packageType);
    for (const version of ['1.0.0', `1.${each}.0`])
      await type.publish(service, { workspace, repository, name, version, as }, uniqueName('content'));
    locals.push(repository);
  }
  const [first] = locals as [Named];
  const { packageType } = type;
  const repository = count === 1 ? first : await createVirtual(service, workspace, locals, { packageType });
  return {
    base: service.runner.url + repositoryPath(packageType, workspace.id, repository.id),
    name,
    workspace,
    first,
  };
};

/** Caller and repository; the head of the index, or a file. The process knows the credential and the membership. */
const unitsOfLocal = [3];
/** Two children more, and an index in each, or a file and its package. */
const unitsOfVirtual = [6, 8];

describe.each(shareOf(types, 3).map((type) => [type.packageType, type] as const))(
  'A document of the type %s',
  (_, type) => {
    it.each([
      ['a local repository', 1],
      ['a virtual repository over two local ones', 2],
    ] as const)(
      'costs one read, whether a client has it, this process has it, or only its headers are asked for: %s',
      async (_way, count) => {
        const { base, name } = await published(type, count);
        const documents = documentsOf(type, name);
        for (const document of documents) {
          const url = base + document.path;
          await ask(document, { method: 'GET', url });
          const known = (await ask(document, { method: 'GET', url })).headers.get('etag') ?? undefined;
          const costs = [
            await costOf(document, { method: 'GET', url }, 200),
            await costOf(document, { method: 'GET', url, known }, 304),
            ...(document.contract.head
              ? [
                  await costOf(document, { method: 'HEAD', url }, 200),
                  await costOf(document, { method: 'HEAD', url, known }, 304),
                ]
              : []),
          ];
          expect([url, costs.map(({ operations }) => operations)]).toEqual([url, costs.map(() => ['BatchGetItem'])]);
          if (!countsUnits) continue;
          const [units] = costs.map((each) => each.units);
          expect(count === 1 ? unitsOfLocal : unitsOfVirtual).toContain(units);
          expect(costs.map((each) => each.units)).toEqual(costs.map(() => units));
        }
      },
    );
  },
);

/** The calls of the table, and its units. */
type Cost = readonly [calls: number, units: number];

/** What the documents cost that need more than one read, or other items: in a local repository, and in a virtual one over two of them. */
const furtherCosts: readonly (readonly [of: RegExp, local: Cost, virtual: Cost])[] = [
  [/^org\/[^/]+\/maven-metadata/, [4, 6], [6, 12]],
  [/\/app\/maven-metadata/, [3, 5], [4, 10]],
  [/-SNAPSHOT\/maven-metadata/, [2, 4], [3, 8]],
  [/^simple\/$/, [2, 3], [3, 6]],
  [/@latest$/, [3, 5], [4, 12]],
  [/^v2\/conans\/search/, [3, 4], [4, 8]],
  [/^v2\/conans\//, [2, 4], [3, 8]],
  [/^(?:versions|repodata\/repomd\.xml|dists\/stable\/InRelease)$/, [2, 4], [2, 7]],
  [/^(?:names|specs\.4\.8\.gz)$/, [1, 3], [1, 6]],
  [/\/tags\/list$/, [4, 9], [5, 18]],
  [/\/tags\/list\?n=1$/, [4, 7], [5, 13]],
  [/\/referrers\//, [3, 5], [4, 10]],
  [/\/(?:manifests|blobs)\/sha256:/, [1, 3], [1, 8]],
  [/\/manifests\//, [2, 5], [2, 14]],
];

/** The manifest and the configuration of an image, by the digests that the answer to its tag names; nothing of other types. */
const byDigest = async (type: DocumentedType, base: string, name: string): Promise<readonly PackageDocument[]> => {
  const tagged = type.documentsOf(name).find(({ path }) => path.endsWith('manifests/1.0.0'));
  if (!tagged) return [];
  const answer = await fetchChecked(tagged.contract, base + tagged.path, { Authorization: as });
  const { config } = (await answer.json()) as { readonly config: { readonly digest: string } };
  const digests = [`manifests/${answer.headers.get('docker-content-digest')}`, `blobs/${config.digest}`];
  return digests.map((path) => ({ ...tagged, path: `${name}/${path}` }));
};

const furtherTypes = documentedTypes.filter((type) => type.documentsOf('a:b').some(({ path }) => readsMore.test(path)));

describe.each(furtherTypes.map((type) => [type.packageType, type] as const))('What is made of more: %s', (_, type) => {
  it.each([
    ['a local repository', 1],
    ['a virtual repository over two local ones', 2],
  ] as const)('costs the same calls and units each time, also if a client has it: %s', async (_way, count) => {
    const { base, name } = await published(type, count);
    const listed = type.documentsOf(name).filter(({ path }) => readsMore.test(path));
    for (const document of [...listed, ...(await byDigest(type, base, name))]) {
      const url = base + document.path;
      await ask(document, { method: 'GET', url });
      const known = (await ask(document, { method: 'GET', url })).headers.get('etag') ?? undefined;
      const costs = [
        await costOf(document, { method: 'GET', url }, 200),
        ...(known === undefined ? [] : [await costOf(document, { method: 'GET', url, known }, 304)]),
      ];
      const [, ...expected] = furtherCosts.find(([of]) => of.test(document.path)) ?? [];
      const [calls, units] = expected[count - 1] ?? [];
      const found = costs.map((each) => [each.operations.length, each.units]);
      expect([document.path, found]).toEqual([
        document.path,
        costs.map(() => [calls, countsUnits ? units : undefined]),
      ]);
    }
  });
});

/** One change more, and the index would get a snapshot. */
const pendingMost = 63;

describe.each(shareOf(types, types.length).map((type) => [type.packageType, type] as const))(
  'An index of the type %s',
  (_, type) => {
    it(`costs one read of 3 units with ${pendingMost} pending changes, whether a client has it or this process`, async () => {
      const { base, name, workspace, first } = await published(type, 1);
      const pending = async (): Promise<number> => {
        const ofIndexes = (await readItems()).filter(
          ({ pk, sk }) => pk?.S?.split('#')[1] === first.id && sk?.S?.startsWith('INDEX#'),
        );
        const counts = Array.from(Map.groupBy(ofIndexes, ({ pk }) => pk?.S).values(), ({ length }) => length);
        return Math.max(0, ...counts);
      };
      for (let patch = await pending(); patch < pendingMost; patch += 1) {
        const address = { workspace, repository: first, name, version: `1.2.${patch}`, as };
        await type.publish(service, address, uniqueName('content'));
      }
      expect(await pending()).toBe(pendingMost);
      for (const document of documentsOf(type, name)) {
        const url = base + document.path;
        await ask(document, { method: 'GET', url });
        const known = (await ask(document, { method: 'GET', url })).headers.get('etag') ?? undefined;
        const cost = { operations: ['BatchGetItem'], units: countsUnits ? 3 : undefined };
        expect([document.path, await costOf(document, { method: 'GET', url }, 200)]).toEqual([document.path, cost]);
        expect([document.path, await costOf(document, { method: 'GET', url, known }, 304)]).toEqual([
          document.path,
          cost,
        ]);
      }
    });
  },
);

describe('A member who reads', () => {
  it('costs as much as an admin, with few grants and with many, and once more after a change of them', async () => {
    const type = documentedTypes.find(({ packageType }) => packageType === 'npm') as DocumentedType;
    const { base, name, workspace, first } = await published(type, 1);
    const [document] = type.documentsOf(name) as [PackageDocument];
    const member = await service.world.member(workspace);
    const question: Question = { method: 'GET', url: base + name, as: member.bearer };
    const grants = (count: number) =>
      Array.from({ length: count }, (): Grant => ({ repositoryId: randomUUID(), level: 'canView' }));
    const inReads = (reads: number, units: number) => ({
      operations: Array.from({ length: reads }, () => 'BatchGetItem'),
      units: countsUnits ? units : undefined,
    });
    const readTwice = async () => [await costOf(document, question, 200), await costOf(document, question, 200)];
    await insertGrants(workspace.id, member.userId, [{ repositoryId: first.id, level: 'canView' }]);
    await ask(document, question);
    await ask(document, question);
    const known = inReads(1, 3);
    expect(await readTwice()).toEqual([known, known]);
    await insertGrants(workspace.id, member.userId, grants(inlineGrantsMax - 1));
    expect(await readTwice()).toEqual([inReads(2, 5), known]);
    await insertGrants(workspace.id, member.userId, grants(1));
    // The membership tells that the level is in a shard.
    expect(await readTwice()).toEqual([inReads(3, 6), known]);
    await insertGrants(workspace.id, member.userId, grants(1));
    expect(await readTwice()).toEqual([inReads(2, 6), known]);
  });
});

describe('A machine that reads', () => {
  const issuer = useIssuer();

  it.each(['a workspace token', 'a token of a trust'])('costs as much as a user: %s', async (kind) => {
    const type = documentedTypes.find(({ packageType }) => packageType === 'npm') as DocumentedType;
    const { base, name, workspace, first } = await published(type, 1);
    const [document] = type.documentsOf(name) as [PackageDocument];
    const tokenOfTrust = async (): Promise<string> => {
      const body = trustBody(first, { issuer: issuer.url });
      const { id: trust } = await service.client.succeed(createTrust, {
        params: { workspace: workspace.id },
        body,
        as,
      });
      const exchanged = { body: { trust, subject_token: issuer.token() } };
      return bearerHeader((await service.client.succeed(exchangeToken, exchanged)).access_token);
    };
    const isOfWorkspace = kind === 'a workspace token';
    const bearer = isOfWorkspace
      ? (await service.world.workspaceToken(workspace, 'canView')).bearer
      : await tokenOfTrust();
    const question: Question = { method: 'GET', url: base + name, as: bearer };
    await ask(document, question);
    await ask(document, question);
    expect(await costOf(document, question, 200)).toEqual({
      operations: ['BatchGetItem'],
      units: countsUnits ? 3 : undefined,
    });
  });
});

describe('A package that one of two children has no version of any more', () => {
  it('is that of the other child', async () => {
    const type = documentedTypes.find(({ packageType }) => packageType === 'npm') as DocumentedType;
    const { base, name, workspace, first } = await published(type, 2);
    const url = base + name;
    const [document] = type.documentsOf(name) as [PackageDocument];
    const params = { workspace: workspace.id, repository: first.id, package: name };
    await service.client.succeed(deletePackage, { params, as });
    const left = (await (await fetchChecked(document.contract, url, { Authorization: as })).json()) as {
      readonly versions: object;
    };
    expect(Object.keys(left.versions)).toEqual(['1.0.0', '1.2.0']);
  });
});
