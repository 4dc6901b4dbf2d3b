import { randomUUID } from 'node:crypto';
import { config } from '../../shared/config.ts';
import { encryptUpstreamPassword } from '../../shared/encryption.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertRepository } from '../../shared/table/repositories.ts';
import { createRemoteRepository } from './contracts.ts';
import { creationRefused } from './creation.ts';
import { remoteRepositoryRecord } from './record.ts';
import { upstreamUrlRule } from './upstream-url.ts';

export const handler = endpoint(
  createRemoteRepository,
  async ({ body, caller, workspace, table }) => {
    const repositoryId = randomUUID();
    const password = body.remoteRepositoryPassword;
    const context = { workspaceId: workspace.workspaceId, repositoryId };
    const outcome = await insertRepository(table, workspace, {
      repositoryId,
      repositoryType: 'remote',
      name: body.name,
      packageType: body.packageType,
      remoteRepositoryUrl: body.remoteRepositoryUrl,
      remoteRepositoryUsername: body.remoteRepositoryUsername || null,
      passwordCiphertext: password ? await encryptUpstreamPassword(password, context, table.signal) : null,
      isRemoteCacheEnabled: body.isRemoteCacheEnabled,
      fileCacheTimeTillRevalidation: body.fileCacheTimeTillRevalidation ?? null,
      metadataCacheTimeTillRevalidation: body.metadataCacheTimeTillRevalidation ?? null,
      createdBy: caller.user.userId,
    });
    if ('reason' in outcome) throw creationRefused(body.name, outcome);
    const record = remoteRepositoryRecord(outcome.created);
    return config.echoUpstreamPassword ? { ...record, remoteRepositoryPassword: password ?? undefined } : record;
  },
  { rules: [upstreamUrlRule] },
);
