import { deleteNpmPackage, getDistTags, getNpmDocument } from '../../../functions/npm/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { cachedDocumentKey } from '../../../shared/table/packages/package-keys.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import {
  abbreviatedType,
  type NpmRequest,
  serveRegistry,
  type UpstreamPackage,
  upstreamTarballOf,
  useNpmRepository,
} from '../../harness/npm.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { refusing } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const { service, upstream } = useRemotes();
const npm = useNpmRepository(service);

const minute = 60_000;

/** Remote repositories over parts of one upstream. */
const remotes = async (...paths: readonly string[]): Promise<Named[]> =>
  Promise.all(
    paths.map((path) =>
      createRemote(service, npm.setting.workspace, {
        remoteRepositoryUrl: `${upstream.url}/${path}`,
        metadataCacheTimeTillRevalidation: minute,
      }),
    ),
  );

type Registries = Readonly<Record<string, Readonly<Record<string, UpstreamPackage>> | 'down'>>;

/** Each part of the upstream answers as a registry of its own. */
const serve = (registries: Registries): void => {
  upstream.answer = (request, response) => {
    const path = request.url?.split('/')[1] ?? '';
    const packages = registries[path] ?? {};
    const answer = packages === 'down' ? refusing(503) : serveRegistry(upstream, packages, `${upstream.url}/${path}`);
    answer(request, response);
  };
};

const virtualOver = async (...children: readonly Named[]): Promise<Named> =>
  createVirtual(service, npm.setting.workspace, children);

const setNames = async (virtual: Named, upstreamNames: object): Promise<void> => {
  const params = { workspace: npm.setting.workspace.id, repository: virtual.id };
  await service.client.succeed(updateRepository, { params, body: { upstreamNames }, as: npm.setting.admin.bearer });
};

const get = async (path: string, repository: Named, request: NpmRequest = {}) =>
  npm.send(getNpmDocument, path, { repository, ...request });

const describedOf = (text: string) => {
  const { versions, 'dist-tags': tags } = JSON.parse(text) as Awaited<ReturnType<typeof npm.document>>;
  return [tags, Object.entries(versions).map(([version, { description }]) => `${version} ${String(description)}`)];
};

const version = (description: string) => ({ manifest: { description } });

/** Every request about a name that could go upstream. */
const askAll = async (name: string, virtual: Named) => [
  await get(name, virtual),
  await get(name, virtual, { headers: { Accept: abbreviatedType } }),
  await get(`${name}?write=true`, virtual),
  await get(`${name}/9.9.9`, virtual),
  await get(`${name}/-/${name}-9.9.9.tgz`, virtual),
  await npm.send(getDistTags, `-/package/${name}/dist-tags`, { repository: virtual }),
];

describe('A virtual repository over npm upstreams', () => {
  itAnswers('200 with all versions, each as its first child has it, and the latest of the first child', async () => {
    const name = uniqueName('package');
    const [one, two] = (await remotes('one', 'two')) as [Named, Named];
    serve({
      one: { [name]: { '1.0.0': version('of one'), '1.1.0': version('of one') } },
      two: { [name]: { '1.1.0': version('of two'), '2.0.0': version('of two') } },
    });
    const virtual = await virtualOver(npm.setting.repository, one, two);
    const answer = await get(name, virtual);
    expect(describedOf(answer.text)).toEqual([{ latest: '1.1.0' }, ['1.0.0 of one', '1.1.0 of one', '2.0.0 of two']]);
    const { headers } = answer;
    expect([headers['x-stockroom-origin'], headers['x-stockroom-cache'], headers.warning]).toEqual([
      `${one.name},${two.name}`,
      'miss',
      undefined,
    ]);
    const file = await get(`${name}/-/${name}-2.0.0.tgz`, virtual);
    expect([file.text, file.headers['x-stockroom-origin']]).toEqual([
      upstreamTarballOf(name, '2.0.0').toString(),
      two.name,
    ]);
    return answer;
  });

  itAnswers('404 PACKAGE_NOT_FOUND for what no child has', async () => {
    const children = await remotes('one', 'two');
    return get(uniqueName(), await virtualOver(npm.setting.repository, ...children));
  });

  it('never asks an upstream for a name that a local child holds', async () => {
    const [theirs] = (await remotes('one')) as [Named];
    const virtual = await virtualOver(theirs, npm.setting.repository);
    const name = await npm.publish({ description: 'ours' });
    serve({ one: { [name]: { '1.0.0': version('theirs'), '9.9.9': version('theirs') } } });
    const [packument, ...others] = await askAll(name, virtual);
    expect(describedOf(packument?.text ?? '')).toEqual([{ latest: '1.0.0' }, ['1.0.0 ours']]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 404, 404, 200]);
    expect(upstream.requests).toEqual([]);
  });

  it('never asks for a name that a local child held once, even if the upstream was asked before', async () => {
    const [theirs] = (await remotes('one')) as [Named];
    const virtual = await virtualOver(theirs, npm.setting.repository);
    const name = uniqueName('package');
    serve({ one: { [name]: { '9.9.9': version('theirs') } } });
    expect((await askAll(name, virtual)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    await npm.publish({ name });
    const deleted = await npm.send(deleteNpmPackage, await npm.revisionPath(name));
    expect(deleted.status).toBe(200);
    upstream.requests.length = 0;
    expect((await askAll(name, virtual)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(upstream.requests).toEqual([]);
  });

  it('merges a name that is allowed, and asks for no other', async () => {
    const [theirs] = (await remotes('one')) as [Named];
    const virtual = await virtualOver(npm.setting.repository, theirs);
    const [forked, held] = [await npm.publish({ description: 'ours' }), await npm.publish()];
    const fromUpstream = { '1.0.0': version('theirs'), '9.9.9': version('theirs') };
    serve({ one: { [forked]: fromUpstream, [held]: fromUpstream } });
    await setNames(virtual, { allow: [forked] });
    expect(describedOf((await get(forked, virtual)).text)).toEqual([
      { latest: '1.0.0' },
      ['1.0.0 ours', '9.9.9 theirs'],
    ]);
    const file = await get(`${forked}/-/${forked}-9.9.9.tgz`, virtual);
    expect(file.text).toBe(upstreamTarballOf(forked, '9.9.9').toString());
    await askAll(held, virtual);
    expect(upstream.requests.filter(({ url }) => url?.includes(held))).toEqual([]);
  });

  it('asks for no blocked name, which counts more than that it is allowed or known already', async () => {
    const [theirs] = (await remotes('one')) as [Named];
    const virtual = await virtualOver(npm.setting.repository, theirs);
    const prefix = uniqueName('internal-');
    const [name, other] = [`${prefix}-api`, uniqueName('package')];
    serve({ one: { [name]: { '9.9.9': {} }, [other]: { '1.0.0': {} } } });
    await askAll(name, virtual);
    await setNames(virtual, { allow: [name], block: [`${prefix}*`] });
    upstream.requests.length = 0;
    expect((await askAll(name, virtual)).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
    expect(upstream.requests).toEqual([]);
    expect((await get(other, virtual)).status).toBe(200);
    // The rules are those of the virtual repository alone.
    expect((await get(name, theirs)).status).toBe(200);
  });

  it('keeps to the block lists of its children, and does not let them allow anything', async () => {
    const [theirs] = (await remotes('one')) as [Named];
    const inner = await virtualOver(theirs);
    const outer = await virtualOver(npm.setting.repository, inner);
    const [held, blocked] = [await npm.publish(), uniqueName('blocked')];
    serve({ one: { [held]: { '9.9.9': {} }, [blocked]: { '9.9.9': {} } } });
    await setNames(inner, { allow: [held], block: [blocked] });
    await askAll(held, outer);
    await askAll(blocked, outer);
    expect(upstream.requests).toEqual([]);
  });

  it('shows what is known with a warning if one upstream of several fails, and says so of its files', async () => {
    const name = uniqueName('package');
    const [one, two] = (await remotes('one', 'two')) as [Named, Named];
    const virtual = await virtualOver(one, two);
    serve({ one: 'down', two: { [name]: { '1.0.0': version('of two') } } });
    const answer = await get(name, virtual);
    const warning = `199 - "The upstream of ${one.name} failed"`;
    expect([answer.status, answer.headers['x-stockroom-origin'], answer.headers.warning]).toEqual([
      200,
      two.name,
      warning,
    ]);
    const file = await get(`${name}/-/${name}-1.0.0.tgz`, virtual);
    expect([file.status, file.headers['x-stockroom-origin'], file.headers.warning]).toEqual([200, two.name, warning]);
    const unknown = await get(`${name}/-/${name}-2.0.0.tgz`, virtual);
    expect([unknown.status, unknown.code]).toEqual([502, 'UPSTREAM_FAILED']);
    serve({ one: { [name]: { '2.0.0': version('of one') } }, two: { [name]: { '1.0.0': version('of two') } } });
    const complete = await get(name, virtual, { headers: { 'If-None-Match': String(answer.headers.etag) } });
    expect(describedOf(complete.text)).toEqual([{ latest: '2.0.0' }, ['2.0.0 of one', '1.0.0 of two']]);
  });

  it('does not serve the file of another child where the packument of one that fails lists it', async () => {
    const name = uniqueName('package');
    const [one, two] = (await remotes('one', 'two')) as [Named, Named];
    const virtual = await virtualOver(one, two);
    const both = { [name]: { '1.0.0': {} } };
    serve({ one: both, two: both });
    await get(name, virtual, { headers: { Accept: abbreviatedType } });
    serve({ one: 'down', two: both });
    expect((await get(`${name}/-/${name}-1.0.0.tgz`, virtual)).status).toBe(502);
  });

  it('says of a stale part and of a missing one', async () => {
    const name = uniqueName('package');
    const [one, two] = (await remotes('one', 'two')) as [Named, Named];
    serve({ one: { [name]: { '1.0.0': {} } }, two: 'down' });
    await get(name, one);
    await age(cachedDocumentKey({ contentId: one.id, name }, 'packument full'), minute);
    serve({ one: 'down', two: 'down' });
    const { status, headers } = await get(name, await virtualOver(two, one));
    expect([status, headers['x-stockroom-cache'], headers.warning]).toEqual([
      200,
      'stale',
      `110 - "Response is Stale", 199 - "The upstream of ${two.name} failed"`,
    ]);
  });

  itAnswers('502 UPSTREAM_FAILED if an upstream fails and no other child has the package', async () => {
    const [one, two] = (await remotes('one', 'two')) as [Named, Named];
    serve({ one: 'down', two: {} });
    return get(uniqueName(), await virtualOver(npm.setting.repository, two, one));
  });

  it('of many local children has a revision that fits into a path', async () => {
    const children = await service.world.repositories(npm.setting.workspace, 12);
    const name = uniqueName('package');
    for (const [at, child] of children.entries()) await npm.publish({ name, version: `1.0.${at}` }, child);
    const { _rev: revision } = await npm.document(`${name}?write=true`, { repository: await virtualOver(...children) });
    expect(Buffer.byteLength(String(revision))).toBeLessThan(255);
  });
});
