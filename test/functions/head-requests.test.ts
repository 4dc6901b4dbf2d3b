import { endpoints } from '../../functions/endpoints.ts';
import { createLocalRepository } from '../../functions/repositories/contracts.ts';
import { type PackageType, packageTypes } from '../../shared/package-types.ts';
import { useRemotes } from '../harness/remote-repositories.ts';
import { uniqueName } from '../harness/world.ts';

const { service, setting } = useRemotes();

/** What searches need. */
const queries: Readonly<Record<string, string>> = {
  'cargo/get-cargo-search': '?q=x',
  'composer/get-composer-search': '?q=x',
  'conan/get-conan-search': '?q=x',
  'npm/get-npm-search': '?text=x',
  'nuget/get-nuget-completion': '?q=x',
  'nuget/get-nuget-search': '?q=x',
};

const typeOf = (id: string): PackageType | undefined => packageTypes.find((type) => id.startsWith(`${type}/`));

/** What clients of packages read at paths that every repository of the type has, also an empty one. */
const fixed = endpoints.flatMap((contract) => {
  const { id, method, path, changesByGet } = contract;
  const packageType = typeOf(id);
  const isFixed = !path.replace('/{workspace}/{repository}', '').includes('{');
  const isAsked = method === 'GET' && !changesByGet && isFixed;
  return packageType && isAsked ? [{ contract, packageType, path: path + (queries[id] ?? '') }] : [];
});

it('finds what clients read at fixed paths', () => {
  expect(fixed.length).toBeGreaterThan(12);
});

it.each(fixed)('HEAD is answered as GET $path, without the body', async ({ contract, packageType, path }) => {
  const { name } = await service.client.succeed(createLocalRepository, {
    params: { workspace: setting.workspace.id },
    body: { name: uniqueName('local'), packageType },
    as: setting.admin.bearer,
  });
  const request = {
    path: path.replace('{workspace}', setting.workspace.name).replace('{repository}', name),
    headers: [['Authorization', setting.admin.bearer]] as [string, string][],
  };
  const get = await service.client.sendTo(contract, request);
  const head = await service.client.raw({ ...request, method: 'HEAD' });
  expect([get.status, head.status, head.text]).toEqual([200, 200, '']);
  expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  expect(head.headers['content-type']).toBe(get.headers['content-type']);
});
