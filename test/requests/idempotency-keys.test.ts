import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Endpoint, type EndpointId, endpoints } from '../../functions/endpoints.ts';
import { removeWorkspaceMember } from '../../functions/members/contracts.ts';
import {
  createUpload,
  deleteContent,
  deletePackageVersion,
  publishPackage,
} from '../../functions/packages/contracts.ts';
import { createLocalRepository, deleteRepository } from '../../functions/repositories/contracts.ts';
import { createPersonalAccessToken } from '../../functions/tokens/contracts.ts';
import { deleteUniversalFile, publishUniversalFile } from '../../functions/universal/contracts.ts';
import { createWorkspace, deleteWorkspaceByReference } from '../../functions/workspaces/contracts.ts';
import { answersOf, type Contract, successStatuses } from '../../shared/http/contract.ts';
import { Table } from '../../shared/table/client.ts';
import { costs } from '../facts/costs.ts';
import type { Answer } from '../harness/client.ts';
import { facts, type Request } from '../harness/endpoint-facts.ts';
import { buildFixture, type Fixture, validRequest } from '../harness/fixture.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { changesBetween, snapshot } from '../harness/snapshot.ts';
import { freeUploadSlots } from '../harness/uploads.ts';
import type { Actor } from '../harness/world.ts';

const service = useService();
let fixture: Fixture;
let otherAdmin: Actor;
beforeAll(async () => {
  fixture = await buildFixture(service);
  otherAdmin = await service.world.user({ userRole: 'system-admin' });
});

/** Requests that set something or complete it: sent again, they change nothing and answer the same record. */
const repeatable: ReadonlySet<EndpointId> = new Set([
  'members/add-repository-member',
  'members/add-workspace-member',
  'packages/publish-upload',
]);

/** Whether a PUT stores a file of any kind, and only once. An image may be pushed again, and so may a revision of Conan. */
const storesFile = ({ id, method, request }: Contract): boolean =>
  method === 'PUT' && request?.kind === 'bytes' && !request.mediaTypes && !/^(?:docker|conan)\//.test(id);

/** What creates in the management API, and what stores a file under its address: scripts send such requests. */
const creating = endpoints.filter(
  (contract: Endpoint) =>
    ((contract.path.startsWith('/1/') && contract.method === 'POST') || storesFile(contract)) &&
    answersOf(contract).flatMap(successStatuses).includes(201) &&
    !repeatable.has(contract.id),
);
const taking = creating.filter((contract) => 'idempotencyKey' in contract && contract.idempotencyKey === 'taken');

interface Keyed {
  readonly contract: Endpoint;
  readonly request: Request;
  readonly idempotencyKey: string;
}

const keyed = async (
  contract: Endpoint,
  idempotencyKey: string = randomUUID(),
  systemAdmin = fixture.systemAdmin,
): Promise<Keyed> => {
  const request = await validRequest(contract, { ...fixture, systemAdmin });
  return { contract, request, idempotencyKey };
};

/** Sends a request, and waits for a worker that it lets begin. */
const send = async ({ contract, request, idempotencyKey }: Keyed, as = fixture.systemAdmin.bearer): Promise<Answer> => {
  const answer = await service.client.attempt(contract, { ...request, idempotencyKey, as });
  while (!service.runner.isIdle()) await pause(10);
  return answer;
};

const remove = async (contract: Contract, params: Readonly<Record<string, string>>): Promise<void> => {
  const all = { workspace: fixture.workspace.id, ...params };
  const { status } = await service.client.attempt(contract, { params: all, as: fixture.systemAdmin.bearer });
  expect(status).toBe(200);
};

/** What an answer shows of what was created: the URLs of an upload session are signed anew each time. */
const shown = ({ status, text, headers }: Answer) => ({
  status,
  text: text.replaceAll(/"uploadUrl":"[^"]+"/g, '"uploadUrl":"…"'),
  location: headers.location,
});

const writesOf = (contract: Endpoint): number =>
  service.proxy.callsOf(contract.id).filter(({ operation }) => operation === 'TransactWriteItems').length;

it('belongs to each POST that creates and to each PUT of a file, taken or refused', () => {
  expect(creating.filter((contract) => !('idempotencyKey' in contract)).map(({ id }) => id)).toEqual([]);
  expect(taking.length).toBeGreaterThan(6);
});

describe.each(shareOf(taking, 3).map((contract) => [contract.id, contract] as const))(
  'An Idempotency-Key of %s',
  (id, contract) => {
    it('costs no further call, and its repetition answers with the same record and writes nothing', async () => {
      await send(await keyed(contract));
      const first = await keyed(contract);
      service.proxy.forget();
      const answer = await send(first);
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: answer.text });
      const calls = service.proxy.callsOf(id);
      expect(calls).toHaveLength(costs[facts[id].cost].calls);
      const ofKey = calls.map(({ keys }) => keys.filter((key) => key.startsWith('CREATION#')).length);
      expect(ofKey.filter((count) => count > 0)).toEqual([1, 1]);
      const before = await snapshot();
      service.proxy.forget();
      expect(shown(await send(first))).toEqual(shown(answer));
      expect(service.proxy.callsOf(id)).toHaveLength(2);
      // As a string of structured fields, it is the same key.
      expect(shown(await send({ ...first, idempotencyKey: `"${first.idempotencyKey}"` }))).toEqual(shown(answer));
      expect(changesBetween(before, await snapshot())).toEqual([]);
    });

    itAnswers('422 IDEMPOTENCY_KEY_REUSED with another body, and creates nothing', async () => {
      const first = await keyed(contract);
      await send(first);
      const second = await keyed(contract, first.idempotencyKey);
      const before = await snapshot();
      const other = await send(second);
      expect(changesBetween(before, await snapshot())).toEqual([]);
      return other;
    });

    itAnswers('201 to a caller whose first answer was lost', async () => {
      const [learnt, lost] = [await keyed(contract), await keyed(contract)];
      await freeUploadSlots(fixture.workspace, fixture.systemAdmin);
      service.proxy.forget();
      await send(learnt);
      const after = writesOf(contract) - 1;
      const reads = service.proxy.callsOf(id).filter(({ operation }) => operation === 'BatchGetItem').length;
      await freeUploadSlots(fixture.workspace, fixture.systemAdmin);
      const before = await snapshot();
      service.proxy.inject({ fault: 'commit-then-drop', functionId: id, operation: 'TransactWriteItems', after });
      // Nor can the service look whether it has written.
      service.proxy.inject({ fault: 'drop', functionId: id, operation: 'BatchGetItem', after: reads });
      expect((await send(lost)).code).toBe('SERVICE_UNAVAILABLE');
      service.proxy.heal();
      const created = changesBetween(before, await snapshot());
      expect(created).not.toEqual([]);
      const answer = await send(lost);
      expect(changesBetween(before, await snapshot())).toEqual(created);
      return answer;
    });

    it('lets one of several parallel requests create, and answers the same to all', async () => {
      service.proxy.conflictsLikeDynamoDb = true;
      const first = await keyed(contract);
      const answers = (await Promise.all([1, 2, 3].map(async () => send(first)))).map(shown);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    });

    itAnswers('201 for another caller and after a day, whatever the body', async () => {
      const first = await keyed(contract);
      await send(first);
      const ofOther = await send(await keyed(contract, first.idempotencyKey, otherAdmin), otherAdmin.bearer);
      const table = new Table();
      // DynamoDB removes items up to days after their time.
      const now = Math.floor(Date.now() / 1000);
      const creations = [...(await snapshot()).values()].filter(({ pk }) => pk.startsWith('CREATION#'));
      for (const { pk, sk } of creations)
        await table.update({ update: { pk, sk }, set: 'SET #expiresAt = :now', values: { ':now': now } });
      return [ofOther, await send(await keyed(contract, first.idempotencyKey))];
    });

    itAnswers('400 REQUEST_INVALID if it is empty, too long, not printable or there twice', async () => {
      const { request } = await keyed(contract);
      const before = await snapshot();
      const answers = [];
      for (const idempotencyKey of ['', '""', 'a'.repeat(201), 'clé', '"open', '"one" "two"'])
        answers.push(await send({ contract, request, idempotencyKey }));
      expect(changesBetween(before, await snapshot())).toEqual([]);
      return answers;
    });
  },
);

it('is stored as a hash, beside an ID and a hash of the body that the key is needed for', async () => {
  const before = await snapshot();
  const each = await Promise.all(taking.map(async (contract) => keyed(contract)));
  const session = await keyed(createUpload);
  const sent = [...each, session, { ...session, idempotencyKey: randomUUID() }];
  for (const request of sent) await send(request);
  const stored = [...(await snapshot()).values()].filter(({ pk, sk }) => !before.has(`${pk}\n${sk}`));
  const creations = stored.filter(({ pk }) => pk.startsWith('CREATION#'));
  expect(creations).toHaveLength(sent.length);
  for (const { pk, sk, ...rest } of creations) {
    expect(pk).toBe(`CREATION#${fixture.systemAdmin.userId}`);
    expect(sk).toMatch(/^[\w-]{43}$/);
    expect(Object.keys(rest).toSorted()).toEqual(['expiresAt', 'fingerprint', 'id']);
    expect(Math.abs(Number(rest.expiresAt) - Date.now() / 1000 - 86_400)).toBeLessThan(60);
  }
  for (const { idempotencyKey } of sent) expect(JSON.stringify(stored)).not.toContain(idempotencyKey);
  // One body with two keys has two hashes: a password in it cannot be guessed from the table.
  expect(new Set(creations.map(({ fingerprint }) => fingerprint)).size).toBe(sent.length);
});

describe('What was deleted since', () => {
  const created = async (contract: Endpoint): Promise<{ readonly first: Keyed; readonly id: string }> => {
    const first = await keyed(contract);
    return { first, id: (JSON.parse((await send(first)).text) as { readonly id: string }).id };
  };

  itAnswers('409 IDEMPOTENCY_KEY_SPENT for a workspace', async () => {
    const { first, id } = await created(createWorkspace);
    await remove(deleteWorkspaceByReference, { workspace: id });
    return send(first);
  });

  itAnswers('409 IDEMPOTENCY_KEY_SPENT for a repository of each type, although its name is free', async () => {
    const answers: Answer[] = [];
    for (const contract of taking.filter((each) => each.id.startsWith('repositories/'))) {
      const { first, id } = await created(contract);
      await remove(deleteRepository, { repository: id });
      answers.push(await send(first));
    }
    return answers;
  });

  itAnswers('409 IDEMPOTENCY_KEY_SPENT for a version, or the content of its repository', async () => {
    const [version, content] = [await keyed(publishPackage), await keyed(publishPackage)];
    const [, path = ''] = /"link":"[^"]+\/packages\/([^"]+)"/.exec((await send(version)).text) ?? [];
    const [name = '', , number = ''] = path.split('/');
    await remove(deletePackageVersion, { repository: fixture.universal.id, package: name, version: number });
    await send(content);
    const ofVersion = await send(version);
    await remove(deleteContent, { repository: fixture.universal.id });
    return [ofVersion, await send(content)];
  });
});

describe('The Idempotency-Key of a request that stored a file that was deleted', () => {
  itAnswers('409 IDEMPOTENCY_KEY_SPENT until a new key publishes it again', async () => {
    const first = await keyed(publishUniversalFile);
    await send(first);
    await remove(deleteUniversalFile, first.request.params ?? {});
    const answer = await send(first);
    expect((await send({ ...first, idempotencyKey: randomUUID() })).status).toBe(201);
    return answer;
  });
});

describe('An Idempotency-Key', () => {
  itAnswers('422 IDEMPOTENCY_KEY_REUSED on another path, though the body is the same', async () => {
    const first = await keyed(createLocalRepository);
    await send(first);
    const elsewhere = { ...first.request, params: { workspace: (await service.world.workspace()).id } };
    const { name } = first.request.body as { readonly name: string };
    const workspace = { contract: createWorkspace, request: { body: { name } } };
    return [await send({ ...first, request: elsewhere }), await send({ ...first, ...workspace })];
  });

  itAnswers(
    '422 IDEMPOTENCY_KEY_REUSED for the same bytes at another address of a file, and for other bytes there',
    async () => {
      const first = await keyed(publishUniversalFile);
      await send(first);
      const { params } = first.request;
      const elsewhere = { ...first.request, params: { ...params, path: `${params?.path}.other` } };
      const changed = { ...first.request, bytes: { content: 'other bytes', mediaType: 'text/plain' } };
      return [await send({ ...first, request: elsewhere }), await send({ ...first, request: changed })];
    },
  );

  it('stands for a form whatever its boundary, and for JSON whatever the order of its fields', async () => {
    const form = await keyed(publishPackage);
    const answer = await send(form);
    const { content, mediaType } = form.request.bytes as { content: Uint8Array; mediaType: string };
    const changed = (text: string): string => text.replaceAll('a-boundary-of-the-tests', 'another');
    const bytes = { content: changed(Buffer.from(content).toString()), mediaType: changed(mediaType) };
    expect(shown(await send({ ...form, request: { ...form.request, bytes } }))).toEqual(shown(answer));

    const json = await keyed(createLocalRepository);
    const record = await send(json);
    const body = Object.fromEntries(Object.entries(json.request.body as object).toReversed());
    expect(shown(await send({ ...json, request: { ...json.request, body } }))).toEqual(shown(record));
  });

  itAnswers('404 WORKSPACE_NOT_FOUND to a caller who has lost the access', async () => {
    const caller = await service.world.member(fixture.workspace, 'admin');
    const first = await keyed(createLocalRepository);
    expect((await send(first, caller.bearer)).status).toBe(201);
    await remove(removeWorkspaceMember, { user: caller.userId });
    return send(first, caller.bearer);
  });

  itAnswers('400 REQUEST_INVALID for a token, which would have to be stored', async () => {
    const before = await snapshot();
    const answer = await send(await keyed(createPersonalAccessToken));
    expect(answer.problem?.detail).toMatch(/secret.*leave the header out/);
    expect(changesBetween(before, await snapshot())).toEqual([]);
    return answer;
  });
});
