import { deletePackage, listPackages } from '../../../functions/packages/contracts.ts';
import type { QueryOf } from '../../../shared/http/contract.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
const world = usePackageWorld(service);

type Query = QueryOf<typeof listPackages>;

const list = async (repository: Named, query: Query = {}) =>
  service.client.succeed(listPackages, {
    params: world.params({ repository: repository.id }),
    query,
    as: world.admin.bearer,
  });

const namesIn = async (repository: Named, query: Query = {}) =>
  (await list(repository, query)).packages.map(({ name }) => name);

const repositoryWith = async (names: readonly string[]): Promise<Named> => {
  const repository = await service.world.repository(world.workspace, undefined, 'universal');
  for (const name of names)
    await world.publish(`${encodeURIComponent(name).replaceAll('%2F', '/')}/1.0.0/file`, 'file', repository);
  return repository;
};

describe('GET …/packages', () => {
  it('shows each package with its newest version, its size and the number of its versions', async () => {
    const repository = await repositoryWith(['tools/formatter']);
    await world.publish('tools/formatter/2.0.0/one', '12345', repository);
    await world.publish('tools/formatter/1.0.0/other', '123', repository);
    expect(await list(repository)).toEqual({
      total: 1,
      offset: 0,
      limit: 100,
      packages: [
        {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          name: 'tools/formatter',
          displayName: 'tools/formatter',
          latestVersion: '2.0.0',
          versionCount: 2,
          sizeInBytes: 12,
          updatedAt: expect.any(String),
        },
      ],
      nextCursor: null,
    });
  });

  it('finds by the beginning of the name, and by nothing that only sorts near it', async () => {
    const repository = await repositoryWith(['a', 'ab', 'ab#1', 'ac', 'b%', 'b']);
    expect(await namesIn(repository, { search: 'ab' })).toEqual(['ab', 'ab#1']);
    expect(await namesIn(repository, { search: 'ab#' })).toEqual(['ab#1']);
    expect((await list(repository, { search: 'b' })).total).toBe(2);
    expect((await list(repository, { search: 'aa' })).total).toBe(0);
    expect(await namesIn(repository)).toEqual(['a', 'ab', 'ab#1', 'ac', 'b', 'b%']);
  });

  it('finds by a beginning that ends with the highest character, or with the one before the surrogates', async () => {
    const names = ['p', 'p\ud7ff', 'p\ud7ff1', 'p\ue000', 'p\u{10ffff}', 'p\u{10ffff}1', '\u{10ffff}', '\u{10ffff}1'];
    const repository = await repositoryWith(names);
    const beginnings = ['p\ud7ff', 'p\u{10ffff}', '\u{10ffff}', '\u{10ffff}\u{10ffff}', 'p'];
    for (const search of beginnings)
      expect(await namesIn(repository, { search })).toEqual(names.filter((name) => name.startsWith(search)));
  });

  it('leads through all pages by offset and by cursor alike', async () => {
    const names = ['p1', 'p2', 'p3', 'p4', 'p5'];
    const repository = await repositoryWith(names);
    expect(await namesIn(repository, { limit: 2, offset: 3 })).toEqual(['p4', 'p5']);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list(repository, { limit: 2, ...(cursor && { cursor }) });
      expect({ total: page.total, offset: page.offset }).toEqual({ total: 5, offset: found.length });
      found.push(...page.packages.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(found).toEqual(names);
  });

  it('leaves out packages whose versions are all deleted, until one comes back', async () => {
    const repository = await repositoryWith(['gone', 'here']);
    const params = world.params({ repository: repository.id, package: 'gone' });
    await service.client.succeed(deletePackage, { params, as: world.admin.bearer });
    expect(await list(repository)).toMatchObject({ total: 1, packages: [{ name: 'here' }] });
    expect((await list(repository, { search: 'g' })).total).toBe(0);
    await world.publish('gone/2.0.0/file', 'file', repository);
    expect(await namesIn(repository)).toEqual(['gone', 'here']);
  });

  it('of a virtual repository merges what its repositories hold, in pages', async () => {
    const one = await repositoryWith(['a', 'c', 'e', 'same']);
    const other = await repositoryWith(['b', 'd', 'same']);
    const virtual = await createVirtual(service, world.workspace, [one, other], { packageType: 'universal' });
    expect(await namesIn(virtual)).toEqual(['a', 'b', 'c', 'd', 'e', 'same']);
    const { nextCursor } = await list(virtual, { limit: 2 });
    expect(await namesIn(virtual, { limit: 3, cursor: nextCursor ?? '' })).toEqual(['c', 'd', 'e']);
    const { packages } = await list(virtual, { search: 'same' });
    expect(packages).toMatchObject([{ versionCount: 2, sizeInBytes: 8 }]);
  });

  it('of a virtual repository passes over emptied packages, and over none behind them', async () => {
    const one = await repositoryWith(['a', 'b', 'c', 'd']);
    const other = await repositoryWith(['x', 'y', 'z']);
    for (const name of ['a', 'b']) {
      const params = world.params({ repository: one.id, package: name });
      await service.client.succeed(deletePackage, { params, as: world.admin.bearer });
    }
    const virtual = await createVirtual(service, world.workspace, [one, other], { packageType: 'universal' });
    expect(await namesIn(virtual, { limit: 2 })).toEqual(['c', 'd']);
  });

  itAnswers('400 REQUEST_INVALID for an offset that is too large, or beside a cursor', async () => {
    const { nextCursor } = await list(await repositoryWith(['a', 'b']), { limit: 1 });
    const attempt = (query: Query) =>
      service.client.attempt(listPackages, { params: world.params({}), query, as: world.admin.bearer });
    return [
      await attempt({ offset: 1001 }),
      await attempt({ limit: 0 }),
      await attempt({ offset: 1, cursor: nextCursor ?? '' }),
      // A cursor of another repository.
      await attempt({ cursor: nextCursor ?? '' }),
    ];
  });

  itAnswers('400 REQUEST_INVALID for the seal of a cursor on another position', async () => {
    const repository = await repositoryWith(['a', 'b']);
    const { nextCursor } = await list(repository, { limit: 1 });
    const seal = Buffer.from(nextCursor ?? '', 'base64url').subarray(0, -'1 a'.length);
    const forged = ['1 b', '2 a', '1 ', 'a', `1 ${'x'.repeat(700)}`].map((position) =>
      Buffer.concat([seal, Buffer.from(position)]).toString('base64url'),
    );
    const params = world.params({ repository: repository.id });
    return Promise.all(
      forged.map((cursor) =>
        service.client.attempt(listPackages, { params, query: { cursor }, as: world.admin.bearer }),
      ),
    );
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a member without a permission', async () => {
    const member = await service.world.member(world.workspace);
    return service.client.attempt(listPackages, { params: world.params({}), as: member.bearer });
  });

  itAnswers('200 for an npm repository, under a name of its own', async () => {
    const repository = await service.world.repository(world.workspace, uniqueName('npm'));
    return service.client.attempt(listPackages, {
      params: world.params({ repository: repository.name }),
      as: world.admin.bearer,
    });
  });
});
