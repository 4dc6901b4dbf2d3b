import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteRepository, listRepositories, updateRepository } from '../../functions/repositories/contracts.ts';
import { newToken, type TokenKind } from '../../shared/auth/tokens.ts';
import { errors } from '../../shared/errors.ts';
import { heldBy, keyText, repositoryKey } from '../../shared/table/keys.ts';
import { assemblyDirectory } from '../harness/assembly.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { createRemote } from '../harness/repositories.ts';
import { shareOf } from '../harness/sampling.ts';
import { findPassword, findSecret, secretMark } from '../harness/secrets.ts';
import { useService } from '../harness/service.ts';
import { changesBetween, snapshot } from '../harness/snapshot.ts';
import { faults, isPossible } from '../harness/table-calls.ts';
import { type Named, newPassword, uniqueName } from '../harness/world.ts';
import { decrypt, type KeyFault, KeyProxy } from './key-proxy.ts';

const environment: Record<string, string> = {};
let keys: KeyProxy;
beforeAll(async () => {
  keys = await KeyProxy.start();
  environment.AWS_ENDPOINT_URL_KMS = keys.url;
});
afterAll(async () => keys.stop());

/** Each answer, log line and call of the table that holds a secret fails the test that caused it. */
const service = useService({ environment });

let workspace: Named;
beforeAll(async () => {
  keys.target = service.runner.kmsUrl;
  workspace = await service.world.workspace();
});
afterEach(() => keys.heal());

const admin = async (): Promise<string> => (await service.world.systemAdmin()).bearer;

const plain = () => ({
  name: uniqueName(),
  packageType: 'npm',
  remoteRepositoryUrl: 'https://registry.npmjs.org/',
  isRemoteCacheEnabled: true,
});

const create = async (fields: Record<string, unknown>, mayFail = false) =>
  service.client.attempt(createRemoteRepository, {
    params: { workspace: workspace.id },
    body: { ...plain(), ...fields },
    as: await admin(),
    mayFail,
  });

const patch = async (repository: string, body: unknown) =>
  service.client.attempt(updateRepository, {
    params: { workspace: workspace.id, repository },
    body,
    as: await admin(),
  });

/** The ciphertext that the table holds for a repository. */
const ciphertextOf = async (id: string): Promise<string> => {
  const key = repositoryKey(workspace.id, id);
  const stored = heldBy(key, (await snapshot()).get(keyText(key)));
  if (stored?.repositoryType !== 'remote' || !stored.passwordCiphertext)
    throw new Error(`No ciphertext is stored for ${id}.`);
  return stored.passwordCiphertext;
};

describe('The search for secrets', () => {
  const text = `before ${secretMark} after`;
  const forms = {
    raw: text,
    base64: Buffer.from(text).toString('base64'),
    'base64, one byte later': Buffer.from(`x${text}`).toString('base64'),
    'base64, two bytes later': Buffer.from(`xx${text}`).toString('base64'),
    base64url: Buffer.from(text).toString('base64url'),
    hex: Buffer.from(text).toString('hex'),
    'upper-case hex': Buffer.from(text).toString('hex').toUpperCase(),
    'URL-encoded': encodeURIComponent(text),
    'form-encoded': new URLSearchParams({ text }).toString(),
    JSON: JSON.stringify({ text }),
  };
  it.each(Object.entries(forms))('finds it %s', (_, form) => {
    expect(findPassword(form)).toBeDefined();
  });

  it.each(['personal', 'workspace', 'trust'] satisfies TokenKind[])('finds a token: %s', (kind) => {
    expect(findSecret(`before ${newToken(kind)} after`)).toBeDefined();
  });

  it('finds nothing where nothing is', () => {
    expect(
      findSecret(JSON.stringify({ name: 'npm-local', id: '0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11' })),
    ).toBeUndefined();
  });
});

describe('The password of an upstream', () => {
  it('opens with the key and the context of its own repository only', async () => {
    const password = newPassword();
    const [one, other] = await Promise.all([
      createRemote(service, workspace, { remoteRepositoryPassword: password }),
      createRemote(service, workspace, { remoteRepositoryPassword: password }),
    ]);
    const [ofOne, ofOther] = [await ciphertextOf(one.id), await ciphertextOf(other.id)];
    expect(ofOne).not.toBe(ofOther);
    const decrypted = async (context: Record<string, string>) => decrypt(service.runner.kmsUrl, ofOne, context);
    const context = { workspaceId: workspace.id, repositoryId: one.id };
    expect(await decrypted(context)).toBe(password);
    const elsewhere = await service.world.workspace();
    const wrong: Record<string, string>[] = [
      { ...context, repositoryId: other.id },
      { ...context, workspaceId: elsewhere.id },
      { workspaceId: workspace.id },
      { repositoryId: one.id },
      { ...context, more: 'x' },
      {},
    ];
    for (const each of wrong) expect(await decrypted(each)).toBeUndefined();
  });

  it('is replaced, kept and dropped by patches, each time only as ciphertext', async () => {
    const first = newPassword();
    const { id } = await createRemote(service, workspace, { remoteRepositoryPassword: first });
    const context = { workspaceId: workspace.id, repositoryId: id };
    const decrypted = async () => decrypt(service.runner.kmsUrl, await ciphertextOf(id), context);
    expect(await decrypted()).toBe(first);
    await patch(id, { isRemoteCacheEnabled: false });
    expect(await decrypted()).toBe(first);
    const second = newPassword();
    await patch(id, { remoteRepositoryPassword: second });
    expect(await decrypted()).toBe(second);
    await patch(id, { remoteRepositoryPassword: null });
    await expect(ciphertextOf(id)).rejects.toThrow('No ciphertext');
  });

  itAnswers('400 REQUEST_INVALID never repeats it, wherever in the body it stands', async () => {
    const password = newPassword();
    const wrongs: Record<string, unknown>[] = [
      { remoteRepositoryPassword: [password] },
      { remoteRepositoryPassword: { value: password } },
      { remoteRepositoryPassword: password + 'x'.repeat(1024) },
      { remoteRepositoryPassword: password, name: 'A B' },
      { name: password },
      { packageType: password },
      { isRemoteCacheEnabled: password },
      { fileCacheTimeTillRevalidation: password },
      { remoteRepositoryUrl: `https://user:${encodeURIComponent(password)}@example.com/` },
      { remoteRepositoryUrl: `https://user:${password}@example.com/` },
      { remoteRepositoryUrl: password },
      { remotePassword: password },
      { password },
    ];
    return Promise.all(wrongs.map((each) => create(each)));
  });

  itAnswers('400 BODY_MALFORMED never repeats it', async () => {
    const password = newPassword();
    const headers = [
      ['Authorization', await admin()],
      ['Content-Type', 'application/json'],
    ] as const;
    const body = JSON.stringify({ ...plain(), remoteRepositoryPassword: password });
    const bodies = [body.slice(0, -1), `[${body}]`, `${body}${body}`, body.replaceAll('"', "'"), `"${password}"`];
    const send = async (each: string) =>
      service.client.sendTo(createRemoteRepository, { headers, body: each }, { workspace: workspace.id });
    return Promise.all(bodies.map(send));
  });

  itAnswers('409 REPOSITORY_NAME_TAKEN keeps it out of the log', async () => {
    const { name } = await service.world.repository(workspace);
    return create({ name, remoteRepositoryPassword: newPassword() });
  });

  const ofWrites = faults.filter((fault) => fault !== 'hang' && isPossible(fault, 'TransactWriteItems'));

  it.each(shareOf(ofWrites, 2))('stays secret when the table fails: %s', async (fault) => {
    service.proxy.inject({ fault, operation: 'TransactWriteItems' });
    const { status, code } = await create({ remoteRepositoryPassword: newPassword() });
    // What was written although its answer was lost is found again.
    expect(fault === 'commit-then-drop' ? status : code).toBe(
      fault === 'commit-then-drop' ? 201 : 'SERVICE_UNAVAILABLE',
    );
  });
});

describe('A key service that fails', () => {
  const lasting = ['drop', 'hang', 'KMSInternalException', 'ThrottlingException'] as const satisfies KeyFault[];
  for (const fault of shareOf(lasting, 2))
    itAnswers(`503 SERVICE_UNAVAILABLE within 9 s, nothing written: ${fault}`, async () => {
      keys.inject(fault);
      const before = await snapshot();
      const start = performance.now();
      const answer = await create({ remoteRepositoryPassword: newPassword() });
      expect(performance.now() - start).toBeLessThan(9_000);
      expect(changesBetween(before, await snapshot())).toEqual([]);
      return answer;
    });

  for (const fault of shareOf(lasting, 2, 1))
    itAnswers(`201 when it fails once: ${fault}`, async () => {
      keys.inject(fault, 1);
      return create({ remoteRepositoryPassword: newPassword() });
    });

  itAnswers('500 INTERNAL_ERROR when the right to encrypt is missing, and the log tells no secret', async () => {
    keys.inject('AccessDeniedException');
    const answer = await create({ remoteRepositoryPassword: newPassword() }, true);
    // Nothing of the failure but its request ID leaves the service.
    expect(answer.problem?.errors).toEqual([errors.INTERNAL_ERROR.detail]);
    expect(answer.text).not.toMatch(/AccessDenied|kms|KMS/);
    return answer;
  });

  itAnswers('201 without a password, which needs no key', async () => {
    keys.inject('hang');
    return create({});
  });
});

describe('In the end', () => {
  it('no stored item, no log line and no list holds a secret of any test here', async () => {
    const stored = JSON.stringify([...(await snapshot()).values()], (_, value: unknown) =>
      value instanceof Set ? [...value] : value,
    );
    expect(stored).toContain('passwordCiphertext');
    expect(findSecret(stored)).toBeUndefined();
    for (const [, ciphertext = ''] of stored.matchAll(/"passwordCiphertext":"([^"]+)"/g))
      expect(findPassword(Buffer.from(ciphertext, 'base64').toString('latin1'))).toBeUndefined();
    expect(service.logs.length).toBeGreaterThan(0);
    expect(findSecret(service.logs.join('\n'))).toBeUndefined();
    const params = { workspace: workspace.id };
    const { text } = await service.client.attempt(listRepositories, { params, as: await admin() });
    expect(text).toContain('hasRemoteRepositoryPassword');
    expect(text).not.toContain('iphertext');
  });

  it('of the key, each role has the right to encrypt or the right to decrypt at most', () => {
    const granted = globSync('**/*.template.json', { cwd: assemblyDirectory() }).flatMap((file) => {
      const text = readFileSync(join(assemblyDirectory(), file), 'utf8');
      const { Resources } = JSON.parse(text) as { Resources: Record<string, { Type: string }> };
      return Object.values(Resources)
        .filter(({ Type }) => Type.startsWith('AWS::IAM::'))
        .map(actionsIn);
    });
    expect(granted.flat()).toContain('dynamodb:BatchGetItem');
    // Which key signs, and for whom, pins of the template say.
    const ofKeys = granted.map((actions) =>
      actions.filter((action) => /^kms:(?!sign$|getpublickey$)|^\*/i.test(action)).join(' '),
    );
    expect(new Set(ofKeys)).toEqual(new Set(['', 'kms:Encrypt', 'kms:Decrypt']));
  });
});

/** The actions of all policy statements in a resource. */
const actionsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    name === 'Action' || name === 'NotAction' ? ([member].flat() as string[]) : actionsIn(member),
  );
};
