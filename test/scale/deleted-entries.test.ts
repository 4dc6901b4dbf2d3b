import { deletePackage, getPackage, listPackages, listPackageVersions } from '../../functions/packages/contracts.ts';
import type { QueryOf } from '../../shared/http/contract.ts';
import { packageEntryKey, versionKey } from '../../shared/table/packages/package-keys.ts';
import { usePackageWorld } from '../harness/packages.ts';
import { type Query, walkPages } from '../harness/pages.ts';
import { useService } from '../harness/service.ts';
import { putItems } from '../harness/stored-items.ts';
import type { Named } from '../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const world = usePackageWorld(service);

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `1.${String(index).padStart(5, '0')}.0`);

/** What deleted versions leave. */
const storeDeleted = async (contentId: string, name: string, versions: readonly string[]): Promise<void> =>
  putItems(
    versions.map((version) => ({
      ...versionKey({ contentId, name }, version),
      version,
      revision: 2,
      deletedAt: new Date().toISOString(),
    })),
  );

const newRepository = async (): Promise<Named> => service.world.repository(world.workspace, undefined, 'universal');

const publish = async (repository: Named, name: string, versions: readonly string[]): Promise<void> => {
  for (const version of versions) await world.publish(`${name}/${version}/file`, 'file', repository);
};

/** The number of queries of a function since the table's calls were forgotten. */
const queriesOf = ({ id }: { readonly id: string }): number =>
  service.proxy.callsOf(id).filter(({ operation }) => operation === 'Query').length;

describe('A list with much that is deleted', () => {
  it('of versions goes on in short pages, and asks the table six times for each', async () => {
    const repository = await newRepository();
    await publish(repository, 'nightly', ['0.9.0', '2.0.0']);
    await storeDeleted(repository.id, 'nightly', numbered(6_000));
    const params = world.params({ repository: repository.id, package: 'nightly' });
    const ask = async (query: Query) => {
      service.proxy.forget();
      const answer = await service.client.attempt(listPackageVersions, { params, query, as: world.admin.bearer });
      expect(queriesOf(listPackageVersions)).toBeLessThanOrEqual(6);
      return answer;
    };
    const pages = await walkPages<{ readonly version: string }>(ask, { limit: 5 });
    expect(pages.map((page) => page.map(({ version }) => version))).toEqual([['0.9.0'], ['2.0.0']]);
    // Nobody asks for the next page of a list without pages.
    const whole = await service.client.succeed(listPackageVersions, { params, as: world.admin.bearer });
    expect(whole.map(({ version }) => version)).toEqual(['0.9.0', '2.0.0']);
  });

  it('of packages goes on in short pages, also while it leaves out those before an offset', async () => {
    const repository = await newRepository();
    for (const name of ['a', 'b', 'y', 'z']) await publish(repository, name, ['1.0.0']);
    const gone = numbered(6_000).map((name) => `m${name}`);
    await putItems(gone.map((name) => ({ ...packageEntryKey({ contentId: repository.id, name }), isEmpty: true })));
    const params = world.params({ repository: repository.id });
    const ask = async (query: QueryOf<typeof listPackages>) =>
      service.client.succeed(listPackages, { params, query, as: world.admin.bearer });
    const pagesFrom = async (start: QueryOf<typeof listPackages>) => {
      const pages = [await ask(start)];
      for (let last = pages[0]; last && last.nextCursor !== null; last = pages.at(-1))
        pages.push(await ask({ limit: 5, cursor: last.nextCursor }));
      return pages.map(({ total, offset, packages }) => [total, offset, packages.map(({ name }) => name)]);
    };
    expect(await pagesFrom({ limit: 5 })).toEqual([
      [4, 0, ['a', 'b']],
      [4, 2, ['y', 'z']],
    ]);
    expect(await pagesFrom({ limit: 5, offset: 3 })).toEqual([
      [4, 3, []],
      [4, 3, ['z']],
    ]);
  });
});

describe('The deletion of a package', () => {
  it('reads only once what was deleted before', async () => {
    // The last one that is published is the last one to be deleted: to find another newest one takes the whole list.
    const live = Array.from({ length: 40 }, (_, index) => `2.0.${100 + index}`);
    const unitsWith = async (deleted: readonly string[]): Promise<number> => {
      const repository = await newRepository();
      await publish(repository, 'long', live);
      await storeDeleted(repository.id, 'long', deleted);
      const params = world.params({ repository: repository.id, package: 'long' });
      service.proxy.forget();
      await service.client.succeed(deletePackage, { params, as: world.admin.bearer });
      const gone = await service.client.attempt(getPackage, { params, as: world.admin.bearer });
      expect(gone.code).toBe('PACKAGE_NOT_FOUND');
      return service.proxy.consumed(false, deletePackage.id);
    };
    service.proxy.countsUnits = true;
    const [plain, longer] = [await unitsWith([]), await unitsWith(numbered(3_000))];
    // Some 120 bytes each, in units of 4 kB.
    expect(longer - plain).toBeLessThan(1.5 * ((3_000 * 120) / 4096));
    expect(longer - plain).toBeGreaterThan(0.5 * ((3_000 * 120) / 4096));
  });
});
