import { randomUUID } from 'node:crypto';
import { config } from '../../shared/config.ts';
import { encryptUpstreamPassword } from '../../shared/encryption.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { insertRepository, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { createRemoteRepository } from './contracts.ts';
import { answeringAgain, creationRefused } from './creation.ts';
import { refuseOwnHost } from './own-hosts.ts';
import { remoteRepositoryRecord } from './record.ts';
import { gateRule, patchedGate } from './release-gate.ts';
import { upstreamUrlRule } from './upstream-url.ts';

type CreateCall = Call<typeof createRemoteRepository>;

const createdRecord = ({ body }: CreateCall, repository: RemoteRepository) => {
  const record = remoteRepositoryRecord(repository);
  return config.echoUpstreamPassword
    ? { ...record, remoteRepositoryPassword: body.remoteRepositoryPassword ?? undefined }
    : record;
};

export const handler = endpoint(
  createRemoteRepository,
  async (call) => {
    const { body, caller, workspace, table, remember } = call;
    refuseOwnHost(body, call);
    const repositoryId = randomUUID();
    const password = body.remoteRepositoryPassword;
    const context = { workspaceId: workspace.workspaceId, repositoryId };
    const fields = {
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
      ...(body.releaseGate && { releaseGate: patchedGate(undefined, body) }),
      createdBy: caller.user.userId,
    } as const;
    const outcome = await insertRepository(table, workspace, fields, remember);
    if ('reason' in outcome) throw creationRefused(body.name, outcome);
    return createdRecord(call, outcome.created);
  },
  {
    rules: [upstreamUrlRule, gateRule],
    answerAgain: async (call, id) =>
      answeringAgain('remote', (repository) => createdRecord(call, repository))(call, id),
  },
);
