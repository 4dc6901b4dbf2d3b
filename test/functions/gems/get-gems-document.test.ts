import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { deleteContent } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { gemPath, useGems } from '../../types/gems.ts';

const service = useService();
const { setting, get, yank, published, bytesOf } = useGems(service);

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

const newRepository = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'gems');

const textOf = async (path: string, repository: Named): Promise<string> => {
  const { status, text } = await get(path, { repository });
  expect(status).toBe(200);
  return text;
};

describe('GET /gems/{workspace}/{repository}/info/{gem}', () => {
  it('has a line for each version, with what it needs, the hash of its file, and the Ruby that it needs', async () => {
    const name = await published({ version: '1.10.0', needs: { rake: '>= 1.0, < 3', acme: '~> 1.0' } });
    await published({ name, version: '1.9.0' });
    const checksums = await Promise.all(
      ['1.9.0', '1.10.0'].map(async (version) =>
        createHash('sha256')
          .update(await bytesOf(gemPath({ name, version })))
          .digest('hex'),
      ),
    );
    const answer = await get(`info/${name}`);
    expect(answer.text).toBe(
      `---\n1.9.0 |checksum:${checksums[0]},ruby:>= 2.7\n1.10.0 acme:~> 1.0,rake:>= 1.0&< 3|checksum:${checksums[1]},ruby:>= 2.7\n`,
    );
    expect(answer.headers.etag).toBe(`"${md5(answer.text)}"`);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a gem that is not there, and for another spelling of one', async () => {
    const name = await published({ name: `${uniqueName('gem')}_x` });
    return [
      await get('info/nobody'),
      await get(`info/${name.replace('_', '-')}`),
      await get(`info/${name.toUpperCase()}`),
    ];
  });
});

describe('GET /gems/{workspace}/{repository}/versions', () => {
  it('grows at its end with each publication and each yank, with the hash of what info says then', async () => {
    const repository = await newRepository();
    const texts = [await textOf('versions', repository)];
    const one = await published({ name: 'one' }, { repository });
    texts.push(await textOf('versions', repository));
    const infos = [await textOf('info/one', repository)];
    await published({ name: one, version: '1.1.0', platform: 'java' }, { repository });
    texts.push(await textOf('versions', repository));
    infos.push(await textOf('info/one', repository));
    await published({ name: 'two' }, { repository });
    await yank({ gem_name: one, version: '1.0.0' }, { repository });
    texts.push(await textOf('versions', repository));
    infos.push(await textOf('info/two', repository), await textOf('info/one', repository));
    await yank({ gem_name: 'two', version: '1.0.0' }, { repository });
    texts.push(await textOf('versions', repository));
    for (const [at, text] of texts.entries()) if (at > 0) expect(text.startsWith(texts[at - 1] ?? '')).toBe(true);
    expect(texts[0]).toMatch(/^created_at: \S+\n---\n$/);
    const [first = '', second = '', third = '', fourth = ''] = infos.map(md5);
    expect(texts.at(-1)?.split('\n').slice(2)).toEqual([
      `one 1.0.0 ${first}`,
      `one 1.1.0-java ${second}`,
      `one -1.0.0 ${fourth}`,
      `two 1.0.0 ${third}`,
      `two -1.0.0 ${md5('---\n')}`,
      '',
    ]);
  });

  it('is the same text for everybody until something changes, with its MD5 as ETag and its SHA-256 in a header', async () => {
    const repository = await newRepository();
    await published({}, { repository });
    const answer = await get('versions', { repository });
    const sha256 = createHash('sha256').update(answer.text).digest('base64');
    expect(answer.headers).toMatchObject({
      etag: `"${md5(answer.text)}"`,
      'repr-digest': `sha-256=:${sha256}:`,
      digest: `sha-256=${sha256}`,
      'accept-ranges': 'bytes',
    });
    expect(await textOf('versions', repository)).toBe(answer.text);
    const since = answer.headers['last-modified'] ?? '';
    const ask = async (headers: Record<string, string>) => (await get('versions', { repository, headers })).status;
    expect(await ask({ 'If-None-Match': answer.headers.etag ?? '' })).toBe(304);
    expect(await ask({ 'If-Modified-Since': since })).toBe(304);
    await published({}, { repository });
    expect(await ask({ 'If-None-Match': answer.headers.etag ?? '' })).toBe(200);
    expect(await ask({ 'If-Modified-Since': since })).toBe(200);
  });

  it('gives the range that is new with the hashes of the whole, and all of it beyond the end', async () => {
    const repository = await newRepository();
    await published({}, { repository });
    const before = await textOf('versions', repository);
    await published({}, { repository });
    const whole = await get('versions', { repository });
    const from = async (at: number) => get('versions', { repository, headers: { Range: `bytes=${at}-` } });
    const part = await from(before.length - 1);
    expect([part.status, `${before.slice(0, -1)}${part.text}`]).toEqual([206, whole.text]);
    expect([part.headers.etag, part.headers['repr-digest']]).toEqual([
      whole.headers.etag,
      whole.headers['repr-digest'],
    ]);
    const beyond = await from(whole.text.length);
    expect([beyond.status, beyond.text]).toEqual([200, whole.text]);
  });

  it('begins anew when the repository was emptied', async () => {
    const repository = await newRepository();
    await published({}, { repository });
    await textOf('versions', repository);
    await service.client.succeed(deleteContent, {
      params: { workspace: setting.workspace.id, repository: repository.id },
      as: setting.admin.bearer,
    });
    expect(await textOf('versions', repository)).toMatch(/---\n$/);
  });

  it('has one line for each of many publications at once, through a virtual repository too', async () => {
    const repository = await newRepository();
    const virtual = await createVirtual(service, setting.workspace, [repository], { packageType: 'gems' });
    const names = Array.from({ length: 12 }, () => uniqueName('gem'));
    await Promise.all(
      names.flatMap((name) => [
        published({ name }, { repository }),
        get('versions', { repository }),
        get('versions', { repository: virtual }),
      ]),
    );
    for (const each of [repository, virtual]) {
      const text = await textOf('versions', each);
      const listed = text.split('\n').slice(2, -1);
      expect(listed.map((line) => line.split(' ', 1).join('')).toSorted()).toEqual(names.toSorted());
    }
  });
});

describe('GET /gems/{workspace}/{repository}/names and the lists of old clients', () => {
  it('have what versions has', async () => {
    const repository = await newRepository();
    await published({ name: 'two', version: '2.0.0.pre' }, { repository });
    await published({ name: 'one', version: '1.9.0' }, { repository });
    await published({ name: 'one', version: '1.10.0' }, { repository });
    await published({ name: 'one', version: '1.8.0', platform: 'java' }, { repository });
    expect(await textOf('names', repository)).toBe('---\none\ntwo\n');
    const lists = ['specs', 'latest_specs', 'prerelease_specs'];
    const texts = await Promise.all(
      lists.map(async (list) => gunzipSync(await bytesOf(`${list}.4.8.gz`, repository)).toString('latin1')),
    );
    const versions = texts.map((text) => text.match(/\d+\.\d+\.\d+(?:\.pre)?/g)?.toSorted());
    expect(versions).toEqual([['1.10.0', '1.8.0', '1.9.0'], ['1.10.0', '1.8.0'], ['2.0.0.pre']]);
    expect(texts.every((text) => text.startsWith('\u0004\u0008['))).toBe(true);
  });
});

describe('GET /gems/{workspace}/{repository}/{path}', () => {
  itAnswers('404 FILE_NOT_FOUND for the owners of a gem, with the reason, which gem prints', async () => {
    const answer = await get('api/v1/gems/tool/owners.yaml');
    expect(answer.problem?.detail).toMatch(/^Gems have no owners here/);
    return answer;
  });

  itAnswers('404 FILE_NOT_FOUND for what is no path of a source of gems', async () =>
    Promise.all(
      [
        'x',
        'gems/x',
        'gems/tool-1.0.0.zip',
        'quick/Marshal.4.8/tool.gemspec.rz',
        'info/a%20b',
        'specs.4.9.gz',
        'gems/a/b',
      ].map(async (path) => get(path)),
    ),
  );
});
