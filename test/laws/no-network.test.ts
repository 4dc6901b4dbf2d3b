import { join } from 'node:path';
import { createRemoteRepository, updateRepository } from '../../functions/repositories/contracts.ts';
import { useService } from '../harness/service.ts';
import { newPassword, uniqueName } from '../harness/world.ts';

/** In each function's thread, sockets fail but to the table and the key service, and looking up any name fails. */
const service = useService({
  environment: {
    NODE_OPTIONS: `--require=${join(__dirname, '..', 'harness', 'guarded-network.ts')}`,
    ALLOWED_PRIVATE_UPSTREAMS: 'localhost,127.0.0.0/8,::1',
  },
});

interface GuardLine {
  readonly guard?: 'allowed' | 'refused';
  readonly what?: string;
}

const guardLines = (): GuardLine[] =>
  service.logs.map((line) => JSON.parse(line) as GuardLine).filter(({ guard }) => guard);

const urls = [
  'https://registry.npmjs.org/',
  'https://does-not-exist.example/',
  'http://localhost:9/',
  'http://127.0.0.1:9/',
  'http://[::1]:9/',
  'https://bücher.example/',
];

it('Creating or moving a remote repository looks no name up and connects to nobody', async () => {
  const workspace = await service.world.workspace();
  const { bearer: as } = await service.world.systemAdmin();
  const params = { workspace: workspace.id };
  for (const remoteRepositoryUrl of urls) {
    const body = { name: uniqueName(), packageType: 'npm', isRemoteCacheEnabled: true } as const;
    const secret = { remoteRepositoryUsername: 'ci', remoteRepositoryPassword: newPassword() };
    const created = await service.client.succeed(createRemoteRepository, {
      params,
      body: { ...body, ...secret, remoteRepositoryUrl },
      as,
    });
    await service.client.succeed(updateRepository, {
      params: { ...params, repository: created.id },
      body: { remoteRepositoryUrl: `${remoteRepositoryUrl}moved/`, remoteRepositoryPassword: newPassword() },
      as,
    });
  }
  const lines = guardLines();
  expect(lines.filter(({ guard }) => guard === 'refused')).toEqual([]);
  // The guard was there: it saw the connections to the table and to the key service.
  const allowed = new Set(lines.map(({ what }) => what));
  expect(allowed).toEqual(
    new Set([service.proxy.url, service.runner.kmsUrl].map((url) => `connect ${new URL(url).host}`)),
  );
});
