import { randomBytes } from 'node:crypto';
import { getUniversalFile, publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repository: Named;
let admin: Actor;

beforeAll(async () => {
  [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
  repository = await service.world.repository(workspace, undefined, 'universal');
});

const addressOf = (path: string, { name } = repository): string => `/universal/${workspace.name}/${name}/${path}`;

/** Publishes a file under a path that nothing else has, and returns the path. */
const publish = async (content: string | Uint8Array, path = `${uniqueName()}/1.0.0/file.txt`, to = repository) => {
  const answer = await service.client.sendTo(publishUniversalFile, {
    path: addressOf(path, to),
    headers: [
      ['Authorization', admin.bearer],
      ['Content-Type', 'text/html'],
    ],
    body: content,
  });
  if (answer.status !== 201) throw new Error(`${path} was not published: ${answer.text}`);
  return path;
};

interface Get {
  readonly method?: string;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: Named;
}

const get = async (path: string, { method = 'GET', as = admin.bearer, headers = {}, from = repository }: Get = {}) =>
  service.client.sendTo(getUniversalFile, {
    method,
    path: addressOf(path, from),
    headers: [['Authorization', as], ...Object.entries(headers)],
  });

const etagOf = (content: string): string => `"${sha256(content)}"`;

describe('GET /universal/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 with the file, as bytes whatever its publisher called it, and an ETag that is its hash', async () => {
    const answer = await get(await publish('the file'));
    const { text, headers } = answer;
    expect({ text, type: headers['content-type'], etag: headers.etag, origin: headers['x-stockroom-origin'] }).toEqual({
      text: 'the file',
      type: 'application/octet-stream',
      etag: etagOf('the file'),
      origin: repository.name,
    });
    expect(Math.abs(Date.parse(String(headers['x-stockroom-published'])) - Date.now())).toBeLessThan(60_000);
    return answer;
  });

  itAnswers('200 for a path whose parts are encoded in another way', async () => {
    const path = await publish('the file', `${uniqueName('%C3%A4%20b')}/1.0.0+build/file~1.txt`);
    const encoded = path.replace('%C3%A4', '%c3%a4').replace('+', '%2B').replace('~', '%7e');
    const answer = await get(encoded);
    expect(answer.text).toBe('the file');
    return answer;
  });

  itAnswers('304 for who has it already', async () =>
    get(await publish('the file'), { headers: { 'If-None-Match': `"other", W/${etagOf('the file')}` } }),
  );

  it('answers HEAD with the length and without a body, and a range of the file', async () => {
    const path = await publish('the file');
    const head = await get(path, { method: 'HEAD' });
    expect({ status: head.status, length: head.headers['content-length'], text: head.text }).toEqual({
      status: 200,
      length: '8',
      text: '',
    });
    const part = await get(path, { headers: { Range: 'bytes=4-' } });
    expect({ status: part.status, text: part.text, range: part.headers['content-range'] }).toEqual({
      status: 206,
      text: 'file',
      range: 'bytes 4-7/8',
    });
    const beyond = await get(path, { headers: { Range: 'bytes=8-' } });
    expect({ status: beyond.status, range: beyond.headers['content-range'] }).toEqual({
      status: 416,
      range: 'bytes */8',
    });
  });

  itAnswers('302 for a large file, and for its HEAD, to where it is without a credential', async () => {
    const bytes = randomBytes(300_000);
    const path = await publish(bytes);
    const [answer, head] = [await get(path), await get(path, { method: 'HEAD' })];
    const content = await (await fetch(String(answer.headers.location))).arrayBuffer();
    expect(Buffer.from(content).equals(bytes)).toBe(true);
    const headers = await fetch(String(head.headers.location), { method: 'HEAD' });
    expect({ status: headers.status, length: headers.headers.get('content-length') }).toEqual({
      status: 200,
      length: '300000',
    });
    return [answer, head];
  });

  itAnswers('304 for a large file that the client has already, whose redirect names its hash', async () => {
    const bytes = randomBytes(300_000);
    const path = await publish(bytes);
    const { etag } = (await get(path)).headers;
    expect(etag).toBe(`"${sha256(bytes)}"`);
    const answers = [
      await get(path, { headers: { 'If-None-Match': `"other", W/${etag}` } }),
      await get(path, { headers: { 'If-None-Match': String(etag) }, method: 'HEAD' }),
    ];
    expect(answers.map(({ headers }) => [headers.etag, headers.location])).toEqual([
      [etag, undefined],
      [etag, undefined],
    ]);
    expect((await get(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(302);
    return answers;
  });

  itAnswers('200 through a virtual repository, from its first child that has the file', async () => {
    const first = await service.world.repository(workspace, undefined, 'universal');
    const path = await publish('of the second');
    const other = await publish('of the second');
    await publish('of the first', path, first);
    const virtual = await createVirtual(service, workspace, [first, repository], { packageType: 'universal' });
    const answers = [await get(path, { from: virtual }), await get(other, { from: virtual })];
    expect(answers.map(({ text, headers }) => [text, headers['x-stockroom-origin']])).toEqual([
      ['of the first', first.name],
      ['of the second', repository.name],
    ]);
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for an unknown package, version and file', async () => {
    const path = await publish('the file');
    const [name = ''] = path.split('/');
    return Promise.all(
      [`${uniqueName()}/1.0.0/file.txt`, `${name}/1.0.1/file.txt`, `${name}/1.0.0/file`].map((each) => get(each)),
    );
  });

  itAnswers('400 PACKAGE_INVALID for a path that can name no file of a version', async () =>
    Promise.all(
      ['file', '1.0.0/file', 'a//1.0.0/file', 'a/1.0.0/', 'a%2fb/1.0.0/file', 'a/%2e%2e/file'].map((path) => get(path)),
    ),
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for a member without a permission, and for another package type', async () => {
    const member = await service.world.member(workspace);
    const path = await publish('the file');
    return [
      await get(path, { as: member.bearer }),
      await get(path, { from: await service.world.repository(workspace) }),
    ];
  });
});
