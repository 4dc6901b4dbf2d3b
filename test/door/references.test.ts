import { randomUUID } from 'node:crypto';
import { createBlobUpload } from '../../functions/docker/contracts.ts';
import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { readAssembly } from '../../infra/local/assembly.ts';
import { objectBytesMax } from '../../shared/limits.ts';
import { stageFile } from '../../shared/store/received-file.ts';
import { digestOf, signReference, type UploadReference } from '../../shared/store/upload-references.ts';
import { assemblyWithDoor } from '../harness/assembly.ts';
import { sha256 } from '../harness/bytes.ts';
import { Client } from '../harness/client.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

/** Calls the API behind the door as the door does, and as nobody should. */
const service = useService({ hasDoor: true });
let api: Client;
let admin: Actor;
let other: Actor;
let workspace: Named;
let repository: Named;

beforeAll(async () => {
  const { door } = readAssembly(assemblyWithDoor());
  Object.assign(process.env, door?.environment, { AWS_ENDPOINT_URL_KMS: service.runner.kmsUrl });
  api = new Client(service.runner.apiUrl);
  admin = await service.world.systemAdmin();
  other = await service.world.user({ userRole: 'system-admin' });
  workspace = await service.world.workspace();
  repository = await service.world.repository(workspace, undefined, 'universal');
});

afterAll(() => api.close());

const content = 'a body that is in no request';

const newAddress = (): string => `/universal/${workspace.name}/${repository.name}/${uniqueName()}/1.0.0/file.txt`;

const pieces = async function* (bytes = content): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes);
};

const soon = () => AbortSignal.timeout(5_000);

const request = { method: 'PUT', query: [], mediaType: 'text/plain' } as const;

/** A reference as the door makes it, but for a change. */
const referenceTo = async (path: string, change: Partial<UploadReference> = {}, bytes = content): Promise<string> => {
  const staged = await stageFile(pieces(bytes), soon(), ['sha256', 'sha512', 'sha1', 'md5']);
  const digest = digestOf({ ...request, path });
  return signReference({ ...staged, id: randomUUID(), caller: admin.userId, request: digest, ...change }, soon());
};

const call = async (path: string, reference: string, as = admin, mediaType = 'text/plain') =>
  api.sendTo(publishUniversalFile, {
    path,
    headers: [
      ['Authorization', as.bearer],
      ['Content-Type', mediaType],
      ['X-Stockroom-Body', reference],
    ],
  });

const ask = async (path: string, method: string, length?: number, authorization = admin.bearer) => {
  const headers = {
    authorization,
    'x-stockroom-upload': 'ask',
    ...(length !== undefined && { 'x-stockroom-upload-length': String(length) }),
  };
  const answer = await fetch(service.runner.apiUrl + path, { method, headers });
  return {
    status: answer.status,
    header: answer.headers.get('x-stockroom-upload'),
    result: (await answer.json()) as Record<string, unknown>,
  };
};

const because = (why: string): string => `The uploaded body cannot be used, because ${why}: send the request again.`;

describe('A reference to a staged body', () => {
  itAnswers('201 with the file, which S3 copies and nobody reads', async () => {
    const path = newAddress();
    const large = content.repeat(300_000);
    service.store.forget();
    const answer = await call(path, await referenceTo(path, {}, large));
    expect(answer.result).toMatchObject({ sizeInBytes: large.length, sha256: sha256(large) });
    const reads = service.store.calls.filter(({ method, key }) => method === 'GET' && key.startsWith('staging/'));
    expect(reads).toEqual([]);
    return answer;
  });

  itAnswers('201 with a file that is too small for S3 to copy', async () => {
    const path = newAddress();
    const answer = await call(path, await referenceTo(path));
    expect(answer.result).toMatchObject({ sizeInBytes: content.length, sha256: sha256(content) });
    return answer;
  });

  itAnswers('400 REQUEST_INVALID when it was used before, whoever sends it', async () => {
    const path = newAddress();
    const reference = await referenceTo(path);
    expect((await call(path, reference)).status).toBe(201);
    const again = await call(path, reference);
    expect(again.problem?.detail).toBe(because('it was used before'));
    return [again, await call(path, reference, other)];
  });

  it('is honoured once, however many use it at the same time', async () => {
    const path = newAddress();
    const reference = await referenceTo(path);
    const answers = await Promise.all(Array.from({ length: 8 }, async () => call(path, reference)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(7);
  });

  itAnswers('400 REQUEST_INVALID for another caller', async () => {
    const path = newAddress();
    const answer = await call(path, await referenceTo(path), other);
    expect(answer.problem?.detail).toBe(because('another caller has sent it'));
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for another address, another media type and another query', async () => {
    const [path, elsewhere] = [newAddress(), newAddress()];
    const query = digestOf({ ...request, path, query: [['wait', '1']] });
    const answers = [
      await call(elsewhere, await referenceTo(path)),
      await call(path, await referenceTo(path), admin, 'application/json'),
      await call(path, await referenceTo(path, { request: query })),
    ];
    for (const { problem } of answers) expect(problem?.detail).toBe(because('it was sent to another address'));
    return answers;
  });

  itAnswers('400 REQUEST_INVALID when it is altered, forged or malformed', async () => {
    const path = newAddress();
    const reference = await referenceTo(path);
    const [payload = '', mac = ''] = reference.split('.');
    const altered = JSON.parse(Buffer.from(payload, 'base64url').toString()) as UploadReference;
    const forged = Buffer.from(JSON.stringify({ ...altered, key: 'staging/of-somebody-else' })).toString('base64url');
    const wrong = [`${forged}.${mac}`, `${payload}.${mac.slice(1)}`, payload, `${reference}.`, `${payload}.`];
    const answers = [];
    for (const each of wrong) answers.push(await call(path, each));
    for (const { problem } of answers) expect(problem?.detail).toBe(because('the signature of its reference is wrong'));
    const malformed = [await call(path, 'e30.e30'), await call(path, 'nonsense'), await call(path, '.')];
    expect((await call(path, reference)).status).toBe(201);
    return [...answers, ...malformed];
  });

  itAnswers('400 REQUEST_INVALID five minutes after it was signed', async () => {
    const path = newAddress();
    const now = Date.now();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'setInterval', 'clearTimeout'], now });
    jest.setSystemTime(now - 5 * 60 * 1_000 - 1);
    const late = await referenceTo(path).finally(() => jest.useRealTimers());
    const answer = await call(path, late);
    expect(answer.problem?.detail).toBe(because('it came too long ago'));
    return answer;
  });

  itAnswers('413 BODY_TOO_LARGE when it is larger than what the endpoint takes', async () => {
    const path = newAddress();
    return call(path, await referenceTo(path, { size: objectBytesMax + 1 }));
  });
});

describe('The question whether a body may be sent', () => {
  it('is answered with the caller, the maximum and the hashes, and changes nothing', async () => {
    const { status, header, result } = await ask(newAddress(), 'PUT', objectBytesMax);
    expect({ status, header, result }).toEqual({
      status: 200,
      header: 'allowed',
      result: { caller: admin.userId, bytesMax: objectBytesMax, hashes: ['sha256', 'sha512', 'sha1', 'md5'] },
    });
  });

  it('is refused as the request would be', async () => {
    const path = newAddress();
    const nowhere = path.replace(repository.name, 'no-such-repository');
    expect(await ask(path, 'PUT', 1, 'Bearer nobody')).toMatchObject({
      status: 401,
      result: { code: 'UNAUTHENTICATED' },
    });
    expect(await ask(nowhere, 'PUT', 1)).toMatchObject({ status: 404, result: { code: 'REPOSITORY_NOT_FOUND' } });
    expect(await ask(path, 'PUT', objectBytesMax + 1)).toMatchObject({
      status: 413,
      result: { code: 'BODY_TOO_LARGE' },
    });
  });

  it('is refused with the name of the header, about a body of a length that is none', async () => {
    for (const length of [-77, 1.5, Number.NaN]) {
      const { status, result } = await ask(newAddress(), 'PUT', length);
      expect([status, result.code, result.detail]).toEqual([
        400,
        'REQUEST_INVALID',
        'x-stockroom-upload-length must be the number of the bytes.',
      ]);
    }
  });

  it('is refused where the workspace has no room for the body, before anything is written', async () => {
    const limited = await service.world.workspace();
    const body = { storageLimit: 1_000 };
    await service.client.succeed(updateWorkspace, { params: { workspace: limited.id }, body, as: admin.bearer });
    const { name } = await service.world.repository(limited, undefined, 'universal');
    const path = `/universal/${limited.name}/${name}/tool/1.0.0/file.txt`;
    expect(await ask(path, 'PUT', 1_000)).toMatchObject({ status: 200, header: 'allowed' });
    expect(await ask(path, 'PUT', 1_001)).toMatchObject({ status: 403, result: { code: 'QUOTA_EXCEEDED' } });
    const images = await service.world.repository(limited, undefined, 'docker');
    const at = `/v2/${limited.name}/${images.name}/app/blobs/uploads/`;
    const begun = await api.sendTo(createBlobUpload, { path: at, headers: [['Authorization', admin.bearer]] });
    const digest = `sha256:${sha256('bytes')}`;
    service.proxy.forget();
    expect(await ask(`${String(begun.headers.location)}&digest=${digest}`, 'PUT', 1_001)).toMatchObject({
      status: 403,
      result: { code: 'QUOTA_EXCEEDED' },
    });
    expect(service.proxy.writes).toEqual([]);
  });

  it('allows a body of an unknown length as much as the workspace has room for', async () => {
    const limited = await service.world.workspace();
    const { name } = await service.world.repository(limited, undefined, 'universal');
    const path = `/universal/${limited.name}/${name}/tool/1.0.0/file.txt`;
    const limit = async (storageLimit: number | null) =>
      service.client.succeed(updateWorkspace, {
        params: { workspace: limited.id },
        body: { storageLimit },
        as: admin.bearer,
      });
    const allowed = async () => (await ask(path, 'PUT')).result.bytesMax;
    expect(await allowed()).toBe(objectBytesMax);
    await limit(1_000);
    expect(await allowed()).toBe(1_000);
    await call(path, await referenceTo(path));
    expect(await allowed()).toBe(1_000 - content.length);
    // Of a known length, the length decides, and the largest body is that of the endpoint.
    expect((await ask(path, 'PUT', 10)).result.bytesMax).toBe(objectBytesMax);
    await limit(content.length);
    expect(await allowed()).toBe(0);
    await limit(content.length - 1);
    expect(await ask(path, 'PUT')).toMatchObject({ status: 403, result: { code: 'QUOTA_EXCEEDED' } });
  });

  it('is refused by endpoints whose bodies are small', async () => {
    expect(await ask('/1/workspaces', 'POST')).toMatchObject({ status: 413, result: { code: 'BODY_TOO_LARGE' } });
    const rotation = `/1/users/personal-access-tokens/${admin.tokenId}/rotate`;
    expect(await ask(rotation, 'POST')).toMatchObject({ status: 413, result: { code: 'BODY_TOO_LARGE' } });
  });
});
