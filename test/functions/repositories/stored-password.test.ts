import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { getRepository, updateRepository } from '../../../functions/repositories/contracts.ts';
import { unencryptedUpstream } from '../../../functions/repositories/schemas.ts';
import { Table } from '../../../shared/table/client.ts';
import { repositoryKey } from '../../../shared/table/keys.ts';
import { Race } from '../../harness/concurrency.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, newPassword } from '../../harness/world.ts';

const service = useService();
let workspace: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
});

const patch = async (repository: Named, body: unknown) => {
  const { bearer } = await service.world.systemAdmin();
  const params = { workspace: workspace.id, repository: repository.id };
  return service.client.attempt(updateRepository, { params, body, as: bearer });
};

const get = async ({ id }: Named) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.succeed(getRepository, { params: { workspace: workspace.id, repository: id }, as: bearer });
};

/** The password as the proxy of packages would open it; null when none is stored. */
const storedPassword = async ({ id }: Named): Promise<string | null> => {
  const key = repositoryKey(workspace.id, id);
  const item = (await new Table().read([key])).find(key);
  if (item?.repositoryType !== 'remote' || item.passwordCiphertext === null) return null;
  const kms = new KMSClient({ endpoint: service.runner.kmsUrl });
  const { Plaintext } = await kms.send(
    new DecryptCommand({
      CiphertextBlob: Buffer.from(item.passwordCiphertext, 'base64'),
      EncryptionContext: { workspaceId: workspace.id, repositoryId: id },
    }),
  );
  kms.destroy();
  return Buffer.from(Plaintext ?? []).toString('utf8');
};

describe('The stored password of an upstream', () => {
  const withPassword = async () => {
    const password = newPassword();
    const fields = { remoteRepositoryPassword: password, remoteRepositoryUsername: 'ci' };
    return { password, remote: await createRemote(service, workspace, fields) };
  };

  it.each([
    'https://two.example/npm/',
    'https://one.example.two.example/npm/',
    'https://sub.one.example/',
    'https://one.example:8443/npm/',
    'http://one.example/npm/',
  ])('is dropped when the URL becomes %s without it, and the answer says so', async (remoteRepositoryUrl) => {
    const { remote } = await withPassword();
    const answer = await patch(remote, { remoteRepositoryUrl });
    const warnings = remoteRepositoryUrl.startsWith('http:') && { warnings: [unencryptedUpstream] };
    const dropped = { ...remote, remoteRepositoryUrl, hasRemoteRepositoryPassword: false, ...warnings };
    expect(answer.result).toEqual({ ...dropped, remoteRepositoryPasswordDropped: true });
    expect(await get(remote)).toEqual(dropped);
    expect(await storedPassword(remote)).toBeNull();
    expect((await patch(remote, { remoteRepositoryUrl: remote.name })).status).toBe(400);
    const back = await patch(remote, { remoteRepositoryUrl: 'https://one.example/npm/' });
    expect(back.result).toEqual({
      ...remote,
      hasRemoteRepositoryPassword: false,
      remoteRepositoryPasswordDropped: false,
    });
  });

  it.each(['https://one.example/other/path?x=1', 'https://ONE.example/npm/', 'https://one.example:443/npm/'])(
    'stays when the URL becomes %s, on the same host',
    async (remoteRepositoryUrl) => {
      const { remote, password } = await withPassword();
      const { result } = await patch(remote, { remoteRepositoryUrl });
      const expected = {
        remoteRepositoryUrl,
        hasRemoteRepositoryPassword: true,
        remoteRepositoryPasswordDropped: false,
      };
      expect(result).toEqual({ ...remote, ...expected });
      expect(await storedPassword(remote)).toBe(password);
    },
  );

  it('stays when the patch names no URL', async () => {
    const { remote, password } = await withPassword();
    for (const body of [{}, { remoteRepositoryUsername: null }, { isRemoteCacheEnabled: false }]) {
      const { result } = await patch(remote, body);
      expect(result).toMatchObject({ hasRemoteRepositoryPassword: true, remoteRepositoryPasswordDropped: false });
      expect(await storedPassword(remote)).toBe(password);
    }
  });

  it('is what was sent along with the URL of another host, or without a URL', async () => {
    const { remote } = await withPassword();
    for (const url of [
      { remoteRepositoryUrl: 'https://two.example/' },
      {},
      { remoteRepositoryUrl: 'https://two.example/a' },
    ]) {
      const password = newPassword();
      const { result } = await patch(remote, { ...url, remoteRepositoryPassword: password });
      expect(result).toMatchObject({ hasRemoteRepositoryPassword: true, remoteRepositoryPasswordDropped: false });
      expect(await storedPassword(remote)).toBe(password);
    }
  });

  it.each([null, ''])('is cleared by %j, which is no drop', async (remoteRepositoryPassword) => {
    const { remote } = await withPassword();
    const { result } = await patch(remote, { remoteRepositoryPassword, remoteRepositoryUrl: 'https://two.example/' });
    expect(result).toMatchObject({ hasRemoteRepositoryPassword: false, remoteRepositoryPasswordDropped: false });
    expect(await storedPassword(remote)).toBeNull();
  });

  it('never reaches the host of a patch that did not send it, whatever runs at the same moment', async () => {
    for (let round = 0; round < 15; round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const { remote, password } = await withPassword();
      const [moved] = await Promise.all([
        patch(remote, { remoteRepositoryUrl: 'https://two.example/' }),
        patch(remote, { isRemoteCacheEnabled: false, remoteRepositoryUrl: 'https://one.example/b' }),
        patch(remote, { fileCacheTimeTillRevalidation: round }),
      ]);
      expect(moved.status).toBe(200);
      const after = await get(remote);
      if (!('remoteRepositoryUrl' in after)) throw new Error('The remote repository is none any more.');
      expect(after.hasRemoteRepositoryPassword).toBe(false);
      expect(after.fileCacheTimeTillRevalidation).toBe(round);
      expect(await storedPassword(remote)).not.toBe(password);
    }
  });

  it('is for the host that the answer to its patch names, also when the URL changes at the same moment', async () => {
    const race = new Race('A password against a URL', 'URL', 'password');
    for (let round = 0; round < 40; round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const remote = await createRemote(service, workspace);
      const [elsewhere, password] = ['https://two.example/', newPassword()];
      const [moved, set] = await Promise.all([
        race.start(0, async () => patch(remote, { remoteRepositoryUrl: elsewhere })),
        race.start(1, async () => patch(remote, { remoteRepositoryPassword: password })),
      ]);
      const named = (set.result as { remoteRepositoryUrl?: string } | undefined)?.remoteRepositoryUrl;
      const isMovedFirst = named === elsewhere;
      expect(moved.result).toMatchObject({ remoteRepositoryPasswordDropped: !isMovedFirst });
      expect(await storedPassword(remote)).toBe(isMovedFirst ? password : null);
      race.won(isMovedFirst ? 0 : 1);
    }
    race.expectBothToHaveWon();
  });
});
