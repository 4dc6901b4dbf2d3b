import { getRepositoryUsage, getWorkspaceUsage } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, Upstream, useUpstream } from '../../harness/upstream.ts';
import type { Actor } from '../../harness/world.ts';

const service = useService();
const mirror = useUpstream();
const origin = new Upstream();
beforeAll(async () => origin.start());
afterAll(async () => origin.stop());

let admin: Actor;
beforeAll(async () => {
  admin = await service.world.systemAdmin();
});

const urlAt = ({ url }: Pick<Upstream, 'url'>, folder = ''): string =>
  `${url}${folder}/{package-name}/{version}/{file}`;

/** A remote repository that has a file of the mirror in its cache, for ever. */
const withFileOfMirror = async () => {
  mirror.answer = serving('the file of the mirror');
  origin.answer = serving('the file of the origin');
  const workspace = await service.world.workspace();
  const repository = await createRemote(service, workspace, {
    packageType: 'universal',
    remoteRepositoryUrl: urlAt(mirror),
  });
  const params = { workspace: workspace.id, repository: repository.id };
  const read = async () => {
    const { text, headers } = await service.client.attempt(getUniversalFile, {
      params: { ...params, path: 'tool/1.0.0/tool.bin' },
      as: admin.bearer,
    });
    return [text, headers['x-stockroom-cache']];
  };
  const patch = async (remoteRepositoryUrl: string) =>
    service.client.succeed(updateRepository, { params, body: { remoteRepositoryUrl }, as: admin.bearer });
  /** How many files the repository and its workspace have. */
  const filesCounted = async () => {
    const answers = [
      await service.client.succeed(getRepositoryUsage, { params, as: admin.bearer }),
      await service.client.succeed(getWorkspaceUsage, { params, as: admin.bearer }),
    ];
    return answers.map(({ files }) => files);
  };
  expect(await read()).toEqual(['the file of the mirror', 'miss']);
  return { read, patch, filesCounted };
};

describe('What was cached of an upstream', () => {
  it('is not served any more when the repository gets another one, nor counted', async () => {
    const { read, patch, filesCounted } = await withFileOfMirror();
    expect(await read()).toEqual(['the file of the mirror', 'hit']);
    await patch(urlAt(origin));
    expect(await filesCounted()).toEqual([0, 0]);
    expect(await read()).toEqual(['the file of the origin', 'miss']);
    expect(await filesCounted()).toEqual([1, 1]);
    await patch(urlAt(mirror));
    expect(await read()).toEqual(['the file of the mirror', 'miss']);
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect(await read()).toEqual(['the file of the mirror', 'hit']);
  });

  it('is not served any more when another path of the same server is its upstream, where other packages may be', async () => {
    const { read, patch } = await withFileOfMirror();
    mirror.answer = serving('the file of another path');
    await patch(urlAt(mirror, '/other'));
    expect(await read()).toEqual(['the file of another path', 'miss']);
  });

  it('stays when only a slash at the end of the URL differs, or nothing', async () => {
    const { read, patch } = await withFileOfMirror();
    for (const url of [`${urlAt(mirror)}/`, urlAt(mirror), urlAt(mirror).replace('http:', 'HTTP:')]) await patch(url);
    expect(await read()).toEqual(['the file of the mirror', 'hit']);
  });
});
