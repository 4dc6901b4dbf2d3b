import { randomBytes } from 'node:crypto';
import { passFile } from '../../../../shared/packages/serve/uncached-files.ts';
import type { UpstreamFile } from '../../../../shared/packages/upstream/upstream-body.ts';
import { fetchRequest } from '../../../../shared/packages/upstream/upstream-request.ts';
import { Table } from '../../../../shared/table/client.ts';
import { readUsage } from '../../../../shared/table/packages/usage.ts';
import type { RemoteRepository } from '../../../../shared/table/repositories/repositories.ts';
import { sha256 } from '../../../harness/bytes.ts';
import { address, keyOf, refusalOf, remoteOf, stored, useRemotes } from '../../../harness/remote-repositories.ts';
import { refusing, serving } from '../../../harness/upstream.ts';

const { service, upstream } = useRemotes();

const pass = async (source: RemoteRepository, isHead = false, expected: UpstreamFile['expected'] = {}) => {
  const request = { ...fetchRequest({ table: new Table() }), isHead, headers: {} };
  const file = { url: `${upstream.url}/tool`, mediaType: 'text/plain', expected };
  return passFile(request, source, address, async () => file);
};

describe('A file of a repository that keeps nothing', () => {
  it.each([1, 256 * 1024])('of %i bytes comes in the answer', async (size) => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    const bytes = randomBytes(size);
    upstream.answer = serving(bytes);
    expect(await pass(source)).toMatchObject({ kind: 'bytes', content: bytes, etag: `"${sha256(bytes)}"` });
    expect(await stored(keyOf(source))).toBeUndefined();
    expect(await readUsage(new Table(), source.workspaceId)).toEqual({ bytes: 0, files: 0, packages: 0 });
  });

  it.each([256 * 1024 + 1, 20 * 1024 * 1024])('of %i bytes comes by a redirect to the staging area', async (size) => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    const bytes = randomBytes(size);
    upstream.answer = serving(bytes);
    const answer = await pass(source);
    if (answer?.kind !== 'redirect') throw new Error('There is no redirect.');
    expect(new URL(answer.location).pathname).toMatch(/\/staging\/[0-9a-f-]{36}$/);
    const response = await fetch(answer.location);
    expect(response.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''tool.bin");
    expect(sha256(new Uint8Array(await response.arrayBuffer()))).toBe(sha256(bytes));
    expect(await readUsage(new Table(), source.workspaceId)).toEqual({ bytes: 0, files: 0, packages: 0 });
  });

  it('is fetched each time', async () => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    for (const content of ['one', 'two']) {
      upstream.answer = serving(content);
      expect(await pass(source)).toMatchObject({ content: Buffer.from(content) });
    }
  });

  it('is not passed on unless it is what the index promised', async () => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    upstream.answer = serving('another');
    const expected = { sha256: sha256(Buffer.from('the file')) };
    expect((await refusalOf(pass(source, false, expected)))[0]).toBe('UPSTREAM_FAILED');
  });

  it('that the upstream does not have is looked for each time', async () => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    upstream.answer = refusing(404);
    expect(await pass(source)).toBeUndefined();
    expect(await pass(source)).toBeUndefined();
    expect(upstream.requests).toHaveLength(2);
  });

  it('is sent to HEAD by a URL that is signed for it', async () => {
    const source = await remoteOf(service, upstream, { isRemoteCacheEnabled: false });
    upstream.answer = serving(randomBytes(300_000));
    const answer = await pass(source, true);
    const response = await fetch(answer?.kind === 'redirect' ? answer.location : '', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '300000']);
  });
});
