import { getHelmDocument } from '../../functions/helm/contracts.ts';
import { getDistTags, getNpmDocument } from '../../functions/npm/contracts.ts';
import { combinedBytesMax } from '../../shared/packages/serve/combined-size.ts';
import { Table } from '../../shared/table/client.ts';
import type { Key } from '../../shared/table/keys.ts';
import { cachedDocumentKey, indexHeadKey } from '../../shared/table/packages/package-keys.ts';
import { useHelmRepository } from '../harness/helm.ts';
import { errorOf, serveRegistry, useNpmRepository } from '../harness/npm.ts';
import { useRemotes } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { type Named, uniqueName } from '../harness/world.ts';

const { service, upstream } = useRemotes();
const npm = useNpmRepository(service);
const helm = useHelmRepository(service);

const half = combinedBytesMax / 2;

/** Sets the size that the table says of an index or of a document. */
const setSize = async (key: Key, field: 'entryBytes' | 'bytes', bytes: number): Promise<void> => {
  const set = `SET #${field} = :bytes`;
  await new Table().writeUnrecorded([{ update: key, set, values: { ':bytes': bytes } }]);
};

const packageIn = ({ id }: Pick<Named, 'id'>, name?: string): Key =>
  indexHeadKey({ contentId: id, ...(name !== undefined && { name }) });

const tooLarge = (name: string): RegExp =>
  new RegExp(
    `^The indexes of .*'${name}' \\(${half + 1}\\).* have ${combinedBytesMax + 1} bytes together, and one answer`,
  );

describe('A virtual repository whose indexes are too large together', () => {
  it('refuses a package of npm before it loads any, and names the repositories; each of them answers', async () => {
    const { workspace, repository } = npm.setting;
    const other = await service.world.repository(workspace);
    const virtual = await createVirtual(service, workspace, [repository, other]);
    const name = await npm.publish();
    await npm.publish({ name, version: '2.0.0' }, other);
    await setSize(packageIn(repository, name), 'entryBytes', half);
    await setSize(packageIn(other, name), 'entryBytes', half);
    expect(Object.keys((await npm.document(name, { repository: virtual })).versions)).toEqual(['1.0.0', '2.0.0']);
    await setSize(packageIn(other, name), 'entryBytes', half + 1);
    for (const [contract, path] of [
      [getNpmDocument, name],
      [getDistTags, `-/package/${name}/dist-tags`],
    ] as const) {
      const answer = await npm.send(contract, path, { repository: virtual });
      expect([answer.status, answer.code]).toEqual([400, 'LIST_TOO_LONG']);
      expect(errorOf(answer)).toMatch(tooLarge(other.name));
      expect(errorOf(answer)).toContain(`'${repository.name}' (${half})`);
    }
    await setSize(packageIn(other, name), 'entryBytes', combinedBytesMax + 1);
    expect(Object.keys((await npm.document(name, { repository: other })).versions)).toEqual(['2.0.0']);
  });

  it('counts what it has kept of upstreams, and asks no further one once it is too much', async () => {
    const { workspace } = npm.setting;
    const name = uniqueName('package');
    const asked: string[] = [];
    upstream.answer = (request, response) => {
      const [, path = ''] = request.url?.split('/') ?? [];
      asked.push(path);
      serveRegistry(upstream, { [name]: { [`${path}.0.0`]: {} } }, `${upstream.url}/${path}`)(request, response);
    };
    const remotes: Named[] = [];
    for (let at = 1; at <= 9; at += 1)
      remotes.push(await createRemote(service, workspace, { remoteRepositoryUrl: `${upstream.url}/${at}` }));
    const first = remotes.slice(0, 8);
    const get = async (children: readonly Named[]) =>
      npm.send(getNpmDocument, name, { repository: await createVirtual(service, workspace, children) });
    expect((await get(first)).status).toBe(200);
    expect(asked.toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    for (const { id } of first)
      await setSize(cachedDocumentKey({ contentId: id, name }, 'packument full'), 'bytes', combinedBytesMax / 8);
    expect((await get(first)).status).toBe(200);
    const [{ id, name: largest }] = first as [Named];
    await setSize(cachedDocumentKey({ contentId: id, name }, 'packument full'), 'bytes', half + 1);
    const answer = await get(remotes);
    expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringContaining(`'${largest}' (${half + 1})`)]);
    expect(asked).not.toContain('9');
  });

  it('knows the size of what it keeps', async () => {
    const { workspace } = npm.setting;
    const name = uniqueName('package');
    upstream.answer = serveRegistry(upstream, { [name]: { '1.0.0': { manifest: { readme: 'a'.repeat(10_000) } } } });
    const { id, name: remote } = await createRemote(service, workspace, { remoteRepositoryUrl: upstream.url });
    await npm.document(name, { repository: { id, name: remote } });
    const key = cachedDocumentKey({ contentId: id, name }, 'packument full');
    expect((await new Table().read([key])).find(key)?.bytes).toBeGreaterThan(10_000);
  });

  it('refuses the index of charts', async () => {
    const { workspace, repository } = helm.setting;
    const other = await service.world.repository(workspace, undefined, 'helm');
    const virtual = await createVirtual(service, workspace, [repository, other], { packageType: 'helm' });
    await helm.publish();
    await setSize(packageIn(repository), 'entryBytes', half);
    await setSize(packageIn(other), 'entryBytes', half + 1);
    const { status, code, text } = await helm.send(getHelmDocument, 'index.yaml', { repository: virtual });
    expect([status, code]).toEqual([400, 'LIST_TOO_LONG']);
    expect(text).toContain(`'${other.name}' (${half + 1})`);
    expect((await helm.send(getHelmDocument, 'index.yaml')).status).toBe(200);
  });
});
