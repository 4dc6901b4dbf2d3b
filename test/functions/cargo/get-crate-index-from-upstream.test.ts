import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getCrate, getCrateIndex } from '../../../functions/cargo/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { crateFileOf, linesOf, useCargoRegistry } from '../../harness/cargo.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { refusing, serving, useUpstream } from '../../harness/upstream.ts';
import { type Named, newPassword, uniqueName } from '../../harness/world.ts';

const service = useService();
const upstream = useUpstream();
const { setting, send, published, index } = useCargoRegistry(service);

const recorded = (name: string): Buffer =>
  gunzipSync(readFileSync(join(__dirname, '../../fixtures/cargo', `${name}.gz`)));

const remote = async (fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'cargo', remoteRepositoryUrl: upstream.url, ...fields });

const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'cargo' });

/** Lets the upstream serve these texts, by path. */
const serve = (documents: Readonly<Record<string, string | Uint8Array>>): void => {
  upstream.answer = (request, response) => {
    const content = documents[request.url ?? ''];
    if (content === undefined) return refusing(404)(request, response);
    return serving(content, { ETag: `"${sha256(content)}"` })(request, response);
  };
};

const lineOf = (name: string, vers: string, fields: object = {}): string =>
  JSON.stringify({ name, vers, deps: [], cksum: sha256(''), features: {}, yanked: false, ...fields });

const asked = (): unknown[] => upstream.requests.map(({ url }) => url);

const download = (name: string, version = '1.0.0') => `api/v1/crates/${name}/${version}/download`;

describe('GET /cargo/{workspace}/{repository}/{path+} of a virtual repository over a gate', () => {
  it('has the line of the child that lets a version pass, whichever is first, and a yanked one if none does', async () => {
    const line = (of: string, fields?: object): string =>
      lineOf('held', '2.0.0', {
        cksum: sha256(of),
        pubtime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
        ...fields,
      });
    const [free, others] = [line('free'), lineOf('held', '1.0.0')];
    serve({
      '/gated/he/ld/held': `${others}\n${line('gated')}\n`,
      '/free/he/ld/held': `${free}\n`,
      '/yanked/he/ld/held': `${line('yanked', { yanked: true })}\n`,
    });
    const at = async (path: string, hours: number): Promise<Named> =>
      remote({ remoteRepositoryUrl: upstream.url + path, releaseGate: { minimumAgeHours: hours } });
    const [gated, second, passing, yanked] = [
      await at('/gated', 72),
      await at('/free', 72),
      await at('/free', 0),
      await at('/yanked', 0),
    ];
    const newest = async (...children: Named[]): Promise<unknown> => {
      const { text } = await send(getCrateIndex, 'he/ld/held', { repository: await virtualOver(...children) });
      const shown = linesOf(text).find(({ vers }) => vers === '2.0.0');
      return [shown?.cksum, shown?.yanked];
    };
    expect(await newest(gated, passing)).toEqual([sha256('free'), false]);
    expect(await newest(passing, gated)).toEqual([sha256('free'), false]);
    expect(await newest(gated, second)).toEqual([sha256('gated'), true]);
    expect(await newest(gated, second, passing)).toEqual([sha256('free'), false]);
    expect(await newest(yanked, passing)).toEqual([sha256('yanked'), true]);
  });
});

describe('GET /cargo/{workspace}/{repository}/{path+} of a remote repository', () => {
  it.each([
    ['serde', 'se/rd/serde'],
    ['rand_core', 'ra/nd/rand_core'],
    ['tokio', 'to/ki/tokio'],
    ['clap', 'cl/ap/clap'],
  ])('answers with the index of %s as it is, also through a virtual repository', async (name, path) => {
    const document = recorded(name).toString();
    serve({ [`/${path}`]: document });
    const repository = await remote();
    const virtual = await virtualOver(setting.repository, repository);
    for (const each of [repository, virtual]) {
      const { text } = await send(getCrateIndex, path, { repository: each });
      expect(text).toBe(`${document.trimEnd()}\n`);
    }
    expect(asked()).toEqual([`/${path}`]);
  });

  it('keeps the index, and asks again once the time is over', async () => {
    const name = uniqueName('crate');
    const path = `/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
    serve({ [path]: lineOf(name, '1.0.0') });
    const repository = await remote({
      metadataCacheTimeTillRevalidation: 1,
      remoteRepositoryUrl: `sparse+${upstream.url}/`,
    });
    const caches: unknown[] = [];
    const read = async () => {
      const { headers } = await index(name, { repository });
      caches.push([headers['x-stockroom-cache'], headers.warning]);
    };
    await read();
    await read();
    upstream.answer = refusing(503);
    await read();
    expect(caches).toEqual([
      ['miss', undefined],
      ['revalidated', undefined],
      ['stale', '110 - "Response is Stale"'],
    ]);
  });

  itAnswers(
    '404 PACKAGE_NOT_FOUND for what the upstream does not have, and remembers that for each spelling',
    async () => {
      const word = uniqueName().replaceAll('-', '');
      serve({ [`/my/_${word[0]}/my_${word}`]: lineOf(`my_${word}`, '1.0.0') });
      const repository = await remote();
      const answers = [await index(`my-${word}`, { repository }), await index(`my-${word}`, { repository })];
      expect(asked()).toHaveLength(1);
      expect((await index(`my_${word}`, { repository })).status).toBe(200);
      return answers;
    },
  );

  itAnswers('502 UPSTREAM_FAILED for an answer that is no index of the crate', async () => {
    upstream.answer = serving('<html>Sign in</html>');
    return index(uniqueName('crate'), { repository: await remote() });
  });

  it('sends a password without a username as the token of Cargo, and with a username as Basic', async () => {
    const [token, password] = [`Bearer ${uniqueName('token')}`, newPassword()];
    const name = uniqueName('crate');
    const { id } = await remote({ remoteRepositoryPassword: token, isRemoteCacheEnabled: false });
    const { id: other } = await remote({ remoteRepositoryUsername: 'ci', remoteRepositoryPassword: password });
    for (const repository of [id, other]) await index(name, { repository: { id: repository, name: repository } });
    const basic = `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`;
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([token, basic]);
  });

  it('drops the password when the URL moves to another host, with the prefix of Cargo, too', async () => {
    const remoteRepositoryUrl = `sparse+${upstream.url}/`;
    const { id } = await remote({ remoteRepositoryUrl, remoteRepositoryPassword: newPassword() });
    const params = { workspace: setting.workspace.id, repository: id };
    const move = async (url: string) =>
      service.client.succeed(updateRepository, {
        params,
        body: { remoteRepositoryUrl: url },
        as: setting.admin.bearer,
      });
    expect(await move(`${upstream.url}/index`)).toMatchObject({ remoteRepositoryPasswordDropped: false });
    const elsewhere = remoteRepositoryUrl.replace('127.0.0.1', 'localhost');
    expect(await move(elsewhere)).toMatchObject({ remoteRepositoryPasswordDropped: true });
  });
});

describe('GET …/download of a remote repository', () => {
  const offer = async (dl: string, path: string, fields: object = {}): Promise<{ name: string; file: Buffer }> => {
    const word = uniqueName().replaceAll('-', '');
    const name = `My_${word}`;
    const file = await crateFileOf({ name, version: '1.0.0' });
    const cksum = sha256(file);
    const letter = name.charAt(3);
    const fill = (text: string): string =>
      text.replaceAll('NAME', name).replaceAll('LETTER', letter).replaceAll('CKSUM', cksum);
    serve({
      '/config.json': JSON.stringify({ dl: upstream.url + dl }),
      [`/my/_${word[0]}/my_${word}`]: lineOf(name, '1.0.0+b', { cksum, ...fields }),
      [fill(path)]: file,
    });
    return { name, file };
  };

  it.each([
    ['/dl', '/dl/NAME/1.0.0+b/download'],
    ['/dl/', '/dl/NAME/1.0.0+b/download'],
    ['/{prefix}/{lowerprefix}/{crate}-{version}', '/My/_LETTER/my/_LETTER/NAME-1.0.0+b'],
    ['/{sha256-checksum}.crate?{other}', '/CKSUM.crate?{other}'],
  ])('fetches from %s once, and checks the hash of the index', async (dl, path) => {
    const { name, file } = await offer(dl, path);
    const repository = await remote();
    for (const cache of ['miss', 'hit']) {
      const { status, headers } = await send(getCrate, download(name), { repository });
      expect([status, headers['x-stockroom-cache'], headers.etag]).toEqual([200, cache, `"${sha256(file)}"`]);
    }
    expect(asked()).toHaveLength(3);
  });

  itAnswers('502 UPSTREAM_FAILED for other bytes than the index promises, which are not kept', async () => {
    const { name } = await offer('/dl', '/dl/NAME/1.0.0+b/download', { cksum: sha256('other bytes') });
    const repository = await remote();
    const answers = [await send(getCrate, download(name), { repository })];
    answers.push(await send(getCrate, download(name), { repository }));
    return answers;
  });

  it('keeps nothing where caching is off', async () => {
    const { name } = await offer('/dl', '/dl/NAME/1.0.0+b/download');
    const repository = await remote({ isRemoteCacheEnabled: false });
    for (const cache of ['miss', 'miss']) {
      const { status, headers } = await send(getCrate, download(name), { repository });
      expect([status, headers['x-stockroom-cache']]).toEqual([200, cache]);
    }
    serve({});
    expect((await send(getCrate, download(name), { repository })).status).toBe(404);
  });
});

describe('GET /cargo/{workspace}/{repository}/{path+} of a virtual repository', () => {
  it('shows the versions of all children, each from the first one that has it', async () => {
    const name = uniqueName('crate');
    const path = `/${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
    const virtual = await virtualOver(await remote(), await remote({ remoteRepositoryUrl: `${upstream.url}/second` }));
    serve({
      [path]: `${lineOf(name, '1.0.0')}\n${lineOf(name, '1.1.0+first')}\n`,
      [`/second${path}`]: `${lineOf(name, '1.1.0+second')}\n${lineOf(name, '1.2.0')}\n`,
    });
    const { text } = await index(name, { repository: virtual });
    expect(linesOf(text).map(({ vers }) => vers)).toEqual(['1.0.0', '1.1.0+first', '1.2.0']);
  });

  it('asks no upstream for a name that a local child holds, in any spelling, nor for a blocked one', async () => {
    const word = uniqueName().replaceAll('-', '');
    const virtual = await virtualOver(setting.repository, await remote());
    const params = { workspace: setting.workspace.id, repository: virtual.id };
    const upstreamNames = { block: [`Acme_${word}*`], allow: [] };
    await service.client.succeed(updateRepository, { params, body: { upstreamNames }, as: setting.admin.bearer });
    await published({ name: `my-${word}` });
    for (const name of [`my-${word}`, `my_${word}`, `acme-${word}-x`, `acme_${word}`])
      await index(name, { repository: virtual });
    for (const name of [`MY_${word}`, `acme-${word}`])
      await send(getCrate, download(name, '9.0.0'), { repository: virtual });
    expect(asked()).toEqual([]);
  });
});
