import { deleteChartVersion } from '../../../functions/helm/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { cachedDocumentKey } from '../../../shared/table/packages/package-keys.ts';
import { sha256 } from '../../harness/bytes.ts';
import { chartOf, contentIn, errorOf, provenanceOf, useHelmRepository } from '../../harness/helm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { refusing, serving } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';

const { service, upstream } = useRemotes();
const helm = useHelmRepository(service);

const minute = 60_000;

const remote = async (path = 'charts', fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, helm.setting.workspace, {
    packageType: 'helm',
    remoteRepositoryUrl: `${upstream.url}/${path}`,
    metadataCacheTimeTillRevalidation: minute,
    ...fields,
  });

/** The lines of an entry in an index. */
const entry = (name: string, version: string, url: string, ...lines: string[]): string =>
  ['  - apiVersion: v2', `name: ${name}`, `version: ${version}`, 'urls:', `- ${url}`, ...lines].join('\n    ');

const indexOf = (...charts: readonly [name: string, ...entries: string[]][]): string =>
  [
    'apiVersion: v1',
    'entries:',
    ...charts.map(([name, ...entries]) => [`  ${name}:`, entries.join('\n')].join('\n')),
    '',
  ].join('\n');

/** The upstream serves these texts and files by their paths, each with an ETag. */
const serve = (documents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = documents[decodeURIComponent(request.url ?? '')];
    if (content === undefined) response.writeHead(404).end();
    else serving(content, { ETag: `"${sha256(content)}"` })(request, response);
  };
};

const asked = (): (string | undefined)[] => upstream.requests.map(({ url }) => url);

const stateOf = ({ status, headers }: Awaited<ReturnType<typeof helm.get>>) => [status, headers['x-stockroom-cache']];

const chart = { name: 'web', version: '1.0.0', content: 'of the upstream' };

describe('The index of a remote repository', () => {
  itAnswers('200 with all that the upstream says, and with our addresses in place of any other', async () => {
    const repository = await remote('charts/');
    const other = entry('api', 'v0.1', `${upstream.url}/far/away.tgz`, 'x-unknown: [1, {a: b}]', 'appVersion: 1.10');
    const oci = entry('oci', '1.0.0', 'oci://registry.example/oci:1.0.0');
    serve({ '/charts/index.yaml': indexOf(['api', other], ['oci', oci]) });
    const answer = await helm.get('index.yaml', { repository });
    expect((JSON.parse(answer.text) as { entries: object }).entries).toEqual({
      api: [
        {
          apiVersion: 'v2',
          name: 'api',
          version: 'v0.1',
          urls: ['charts/api/api-v0.1.tgz'],
          'x-unknown': [1, { a: 'b' }],
          appVersion: '1.1',
        },
      ],
      // helm itself fetches it from there.
      oci: [{ apiVersion: 'v2', name: 'oci', version: '1.0.0', urls: ['oci://registry.example/oci:1.0.0'] }],
    });
    expect([...stateOf(answer), answer.headers['x-stockroom-origin']]).toEqual([200, 'miss', repository.name]);
    expect(stateOf(await helm.get('index.yaml', { repository }))).toEqual([200, 'hit']);
    expect(asked()).toEqual(['/charts/index.yaml']);
    return answer;
  });

  it('is asked for again when its time is over, confirmed, replaced, and served while the upstream fails', async () => {
    const repository = await remote();
    const key = cachedDocumentKey({ contentId: repository.id, name: 'index.yaml' }, 'index');
    const versions = async () => {
      const answer = await helm.get('index.yaml', { repository });
      const { entries } = JSON.parse(answer.text) as { entries: Record<string, { version: string }[]> };
      return [answer.headers['x-stockroom-cache'], ...(entries.web ?? []).map(({ version }) => version)];
    };
    serve({ '/charts/index.yaml': indexOf(['web', entry('web', '1.0.0', 'a.tgz')]) });
    expect(await versions()).toEqual(['miss', '1.0.0']);
    await age(key, minute);
    expect(await versions()).toEqual(['revalidated', '1.0.0']);
    await age(key, minute);
    serve({
      '/charts/index.yaml': indexOf(['web', entry('web', '1.0.0', 'a.tgz'), entry('web', '1.1.0', 'b.tgz')]),
    });
    expect(await versions()).toEqual(['miss', '1.1.0', '1.0.0']);
    await age(key, minute);
    upstream.answer = refusing(503);
    expect(await versions()).toEqual(['stale', '1.1.0', '1.0.0']);
    expect(await brokenContent(service)).toEqual([]);
  });

  itAnswers('404 FILE_NOT_FOUND if the upstream has none, which is remembered', async () => {
    const repository = await remote();
    const answers = [await helm.get('index.yaml', { repository }), await helm.get('index.yaml', { repository })];
    expect([asked(), errorOf(answers[0] as never)]).toEqual([
      ['/charts/index.yaml'],
      'The upstream has no index.yaml: check the URL of the remote repository.',
    ]);
    return answers;
  });

  itAnswers('502 UPSTREAM_FAILED for what is no index', async () => {
    const answers = [];
    for (const content of ['<html></html>', 'a: *b', 'entries: [', '{"entries": {', 'just: a mapping']) {
      serve({ '/charts/index.yaml': content });
      answers.push(await helm.get('index.yaml', { repository: await remote() }));
    }
    return answers;
  });
});

describe('A chart of a remote repository', () => {
  it.each([true, false])(
    'comes from where the index says, its hash is verified, and it may be kept: %s',
    async (kept) => {
      const repository = await remote('charts', { isRemoteCacheEnabled: kept });
      const file = await chartOf(chart);
      const prov = provenanceOf(chart, file);
      const line = `digest: sha256:${sha256(file)}`;
      serve({
        '/charts/index.yaml': indexOf(['web', entry('web', '1.0.0', '../elsewhere/w.tgz?x=1', line)]),
        '/elsewhere/w.tgz?x=1': file,
        '/elsewhere/w.tgz.prov?x=1': prov,
      });
      const get = async (path: string) => helm.get(path, { repository });
      const answer = await get('charts/web-1.0.0.tgz');
      expect([answer.status, contentIn(answer.text)]).toEqual([200, 'of the upstream']);
      expect((await get('charts/web-1.0.0.tgz.prov')).text).toBe(prov);
      expect((await get('charts/web-1.0.1.tgz')).code).toBe('FILE_NOT_FOUND');
      upstream.reset();
      upstream.answer = refusing(503);
      expect((await get('charts/web-1.0.0.tgz')).status).toBe(kept ? 200 : 502);
      expect(asked().length > 0).toBe(!kept);
      expect(await brokenContent(service)).toEqual([]);
    },
  );

  itAnswers('502 UPSTREAM_FAILED for other bytes than the index promises, which are not kept', async () => {
    const repository = await remote();
    const line = `digest: ${sha256(await chartOf(chart))}`;
    serve({
      '/charts/index.yaml': indexOf(['web', entry('web', '1.0.0', 'w.tgz', line)]),
      '/charts/w.tgz': 'other bytes',
    });
    const answers = [];
    for (let time = 0; time < 2; time += 1) answers.push(await helm.get('charts/web-1.0.0.tgz', { repository }));
    return answers;
  });

  it('goes from the cache when it is deleted', async () => {
    const repository = await remote();
    serve({
      '/charts/index.yaml': indexOf(['web', entry('web', '1.0.0', 'w.tgz')]),
      '/charts/w.tgz': await chartOf(chart),
    });
    expect((await helm.get('charts/web-1.0.0.tgz', { repository })).status).toBe(200);
    expect((await helm.send(deleteChartVersion, 'api/charts/web/1.0.0', { repository })).status).toBe(200);
    expect((await helm.index(repository)).entries.web).toHaveLength(1);
    expect(await brokenContent(service)).toEqual([]);
  });
});

describe('A virtual helm repository', () => {
  const virtualOver = async (children: readonly Named[]): Promise<Named> =>
    createVirtual(service, helm.setting.workspace, children, { packageType: 'helm' });

  const described = async (repository: Named) => {
    const { entries } = await helm.index(repository);
    return Object.fromEntries(
      Object.entries(entries).map(([name, versions]) => [
        name,
        versions.map(({ version, description }) => `${version} ${String(description)}`),
      ]),
    );
  };

  const local = async (): Promise<Named> => service.world.repository(helm.setting.workspace, undefined, 'helm');

  it('has the charts and versions of all children, each version as its first child has it', async () => {
    const [first, second] = [await local(), await local()];
    await helm.publish({ name: 'both', version: '1.0.0', lines: 'description: first' }, first);
    await helm.publish({ name: 'both', version: '1.0.0', lines: 'description: second' }, second);
    await helm.publish({ name: 'both', version: '1.1.0', lines: 'description: second' }, second);
    const of = (child: string) => `description: ${child}`;
    serve({
      '/one/index.yaml': indexOf(['theirs', entry('theirs', '1.0.0', 'a.tgz', of('one'))]),
      '/two/index.yaml': indexOf([
        'theirs',
        entry('theirs', '1.0.0', 'a.tgz', of('two')),
        entry('theirs', '0.9.0', 'b.tgz', of('two')),
      ]),
    });
    const virtual = await virtualOver([first, await remote('one'), second, await remote('two')]);
    expect(await described(virtual)).toEqual({
      both: ['1.1.0 second', '1.0.0 first'],
      theirs: ['1.0.0 one', '0.9.0 two'],
    });
  });

  it('shows no version of an upstream under a name that a child holds or ever held, unless it is allowed', async () => {
    const ours = await local();
    for (const name of ['held', 'once-held', 'allowed']) await helm.publish({ name, lines: 'description: ours' }, ours);
    await helm.send(deleteChartVersion, 'api/charts/once-held/1.0.0', { repository: ours });
    const names = ['held', 'once-held', 'allowed', 'free', 'acme-secret'];
    serve({
      '/charts/index.yaml': indexOf(
        ...names.map((name): [string, string] => [name, entry(name, '9.9.9', `${name}.tgz`, 'description: theirs')]),
      ),
    });
    const virtual = await virtualOver([ours, await remote()]);
    const params = { workspace: helm.setting.workspace.id, repository: virtual.id };
    const body = { upstreamNames: { allow: ['allowed'], block: ['acme-*'] } };
    await service.client.succeed(updateRepository, { params, body, as: helm.setting.admin.bearer });
    expect(await described(virtual)).toEqual({
      held: ['1.0.0 ours'],
      allowed: ['9.9.9 theirs', '1.0.0 ours'],
      free: ['9.9.9 theirs'],
    });
    upstream.reset();
    for (const name of ['held', 'once-held', 'acme-secret'])
      expect((await helm.get(`charts/${name}-9.9.9.tgz`, { repository: virtual })).code).toBe('FILE_NOT_FOUND');
    expect(asked()).toEqual([]);
  });

  it.each([1, 2])(
    'of %i children shows a chart no more once its name is blocked, also to who has the index',
    async (count) => {
      const names = ['free', 'acme-secret'];
      serve({
        '/charts/index.yaml': indexOf(
          ...names.map((name): [string, string] => [name, entry(name, '1.0.0', `${name}.tgz`)]),
        ),
      });
      const virtual = await virtualOver(count === 1 ? [await remote()] : [await local(), await remote()]);
      const before = await helm.get('index.yaml', { repository: virtual });
      expect(Object.keys(await described(virtual))).toEqual(['acme-secret', 'free']);
      const params = { workspace: helm.setting.workspace.id, repository: virtual.id };
      const body = { upstreamNames: { block: ['acme-*'] } };
      await service.client.succeed(updateRepository, { params, body, as: helm.setting.admin.bearer });
      const after = await helm.get('index.yaml', { repository: virtual });
      expect(Object.keys(await described(virtual))).toEqual(['free']);
      expect(after.headers.etag).not.toBe(before.headers.etag);
    },
  );

  it('serves the others with a warning while an upstream fails', async () => {
    const ours = await local();
    await helm.publish({ name: 'ours', lines: 'description: ours' }, ours);
    upstream.answer = refusing(503);
    const down = await remote();
    const virtual = await virtualOver([ours, down]);
    const answer = await helm.get('index.yaml', { repository: virtual });
    expect([answer.status, answer.headers.warning]).toEqual([200, `199 - "The upstream of ${down.name} failed"`]);
    expect(await described(virtual)).toEqual({ ours: ['1.0.0 ours'] });
  });
});
