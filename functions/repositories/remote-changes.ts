import { randomUUID } from 'node:crypto';
import { encryptUpstreamPassword } from '../../shared/encryption.ts';
import { requireValid } from '../../shared/errors.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import { plainUrl } from '../../shared/packages/sources/type-facts.ts';
import type { Table } from '../../shared/table/client.ts';
import { contentLeft, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { updateRemoteRepository } from '../../shared/table/repositories/repository-changes.ts';
import type { changeableFields, updateRepository } from './contracts.ts';
import { remoteRepositoryRecord } from './record.ts';
import { gateRule, patchedGate } from './release-gate.ts';
import { upstreamUrlRule } from './upstream-url.ts';

type Patch = Pick<BodyOf<typeof updateRepository>, (typeof changeableFields.remote)[number]>;

/** Whether another URL has another address, be it only the path, or another origin. A slash at its end makes no other address. */
const differsIn = (
  part: 'href' | 'origin',
  { packageType, remoteRepositoryUrl }: RemoteRepository,
  url = remoteRepositoryUrl,
): boolean => {
  const [before, after] = [remoteRepositoryUrl, url].map((each) =>
    new URL(plainUrl(packageType, each))[part].replace(/\/+$/, ''),
  );
  return before !== after;
};

/** The ciphertext of the password after the patch; undefined if the patch does not change the password. */
const newCiphertext = async (
  { workspaceId, repositoryId }: RemoteRepository,
  password: string | null | undefined,
  request: AbortSignal,
): Promise<string | null | undefined> => {
  if (password === undefined) return undefined;
  return password ? encryptUpstreamPassword(password, { workspaceId, repositoryId }, request) : null;
};

const defined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Applies a patch to a remote repository. A stored password never goes to a host for which nobody entered it. */
export const changeRemote = async (table: Table, repository: RemoteRepository, patch: Patch) => {
  const { remoteRepositoryUsername: username, remoteRepositoryPassword: password, releaseGate, ...others } = patch;
  const { remoteRepositoryUrl: url } = others;
  const { packageType } = repository;
  const violations = [
    ...upstreamUrlRule({ packageType, remoteRepositoryUrl: url }),
    ...gateRule({ packageType, releaseGate }),
  ];
  requireValid(violations);

  const sent = await newCiphertext(repository, password, table.signal);
  const isMoved = differsIn('href', repository, url);
  const isDropped =
    differsIn('origin', repository, url) && sent === undefined && repository.passwordCiphertext !== null;
  const changes = defined({
    ...others,
    // The other address may have other packages, and a compromised mirror may have served anything: what was cached is not served as that of the new one.
    contentId: isMoved ? randomUUID() : undefined,
    remoteRepositoryUsername: username === undefined ? undefined : username || null,
    passwordCiphertext: isDropped ? null : sent,
    releaseGate: patchedGate(repository.releaseGate, { packageType, releaseGate }),
  });
  const outcome = await updateRemoteRepository(
    table,
    repository,
    changes,
    isMoved ? await contentLeft(table, repository) : [],
  );
  if (outcome === 'lost the race') return outcome;
  return { ...remoteRepositoryRecord(outcome), remoteRepositoryPasswordDropped: isDropped };
};
