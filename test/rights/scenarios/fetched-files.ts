import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { PackageType } from '../../../shared/package-types.ts';
import { createRemote } from '../../harness/repositories.ts';
import { serving } from '../../harness/upstream.ts';
import { type Named, newPassword } from '../../harness/world.ts';
import { type Fetching, placeIn, type Setting, slowContent } from './scenario.ts';

/** Takes longer to store than an answer may have bytes: the client is redirected to it. */
export const largeContent = (beginning: Uint8Array = Buffer.of()): Buffer =>
  Buffer.concat([beginning, randomBytes(9 * 1024 * 1024)]);

/** A transfer that breaks off. */
export const breakingOff =
  (content: Uint8Array): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'Content-Length': String(content.length * 2) });
    response.write(content, () => response.destroy());
  };

/** A transfer that announces so many bytes and sends none. */
export const announcing =
  (bytes: number): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'Content-Length': String(bytes) }).flushHeaders();
  };

/** The bytes of a file are stored, and what makes them a file of the repository fails. */
export const failingToCommit = { fault: 'server-error', operation: 'TransactWriteItems', after: 1, times: 6 } as const;

/**
 * Fetches a file once it is small, once it is large and stored already but not committed, once its transfer breaks off, and once it is slow.
 * Returns the new remote repository.
 */
export const fetchFiles = async (
  { service, fixture, upstream }: Setting,
  packageType: PackageType,
  { contract, beginning = Buffer.of(), urlOf = (url) => url, paramsOf, answering = (file) => file }: Fetching,
): Promise<Named> => {
  const beginningWith = (content: string): Buffer => Buffer.concat([beginning, Buffer.from(content)]);
  const large = largeContent(beginning);
  const answer = (file: RequestListener): void => {
    upstream.answer = answering(file, large, upstream.url);
  };
  const remote = await createRemote(service, fixture.workspace, {
    packageType,
    remoteRepositoryUrl: urlOf(upstream.url),
    fileCacheTimeTillRevalidation: 1,
    remoteRepositoryUsername: 'ci',
    remoteRepositoryPassword: newPassword(),
  });
  const get = async (file: Parameters<typeof paramsOf>[0]): Promise<number> => {
    const params = { ...placeIn(fixture, remote), ...paramsOf(file, large) };
    return (await service.client.attempt(contract, { params, as: fixture.systemAdmin.bearer })).status;
  };
  answer(serving(beginningWith('small')));
  expect([await get('small'), await get('small')]).toEqual([200, 200]);
  answer(serving(large));
  service.proxy.inject({ functionId: contract.id, ...failingToCommit });
  expect([await get('large'), await get('large')]).toEqual([503, 302]);
  answer(breakingOff(large));
  expect(await get('broken')).toBe(502);
  // It announces more than can come in time. The worker gets another answer.
  let asked = 0;
  answer((request, response) => {
    asked += 1;
    const file = asked > 1 ? serving(beginningWith(slowContent)) : announcing(10 ** 9);
    file(request, response);
  });
  expect([await get('slow'), asked]).toEqual([200, 2]);
  return remote;
};
