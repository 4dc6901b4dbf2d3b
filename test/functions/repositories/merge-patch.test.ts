import fc from 'fast-check';
import { getRepository, updateRepository } from '../../../functions/repositories/contracts.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { roundsOf } from '../../harness/sampling.ts';
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

const locals = (count: number) => Promise.all(Array.from({ length: count }, () => service.world.repository(workspace)));

/** What is sent for one field: `legal` where the rules allow it, `becomes` where it is not what was sent. */
interface Sent {
  readonly value?: unknown;
  readonly legal: boolean;
  readonly becomes?: unknown;
}

const absent: Sent = { legal: true };
const legal = (value: unknown, becomes: unknown = value): Sent => ({ value, legal: true, becomes });
const illegal = (value: unknown): Sent => ({ value, legal: false });

/** What may be sent for each field. What clears comes after a value that it clears. */
type Values = Readonly<Record<string, readonly Sent[]>>;
type Fields = Readonly<Record<string, Sent>>;

/** Each field absent most of the time, so that the legal values of others are loaded to be kept. */
const mixed = (values: Values): fc.Arbitrary<Fields> =>
  fc.record(
    Object.fromEntries(
      Object.entries(values).map(([name, sent]) => [
        name,
        fc.oneof({ arbitrary: fc.constant(absent), weight: 3 }, fc.constantFrom(...sent)),
      ]),
    ),
  );

/** Each value of each field alone, in order: chance may leave one out. */
const oneByOne = (values: Values): [Fields][] =>
  Object.entries(values).flatMap(([name, sent]) => sent.map((each): [Fields] => [{ [name]: each }]));

const milliseconds = [legal(0), legal(2 ** 53 - 1), legal(null), illegal([]), illegal(-1), illegal('1'), illegal(1.5)];

const remoteValues: Values = {
  remoteRepositoryUrl: [
    legal('https://one.example/npm/'),
    legal('https://one.example/b'),
    legal('https://two.example/'),
    illegal(null),
    illegal([]),
    illegal(''),
  ],
  remoteRepositoryUsername: [legal('ci'), legal(null), legal('é😀'), legal('', null), illegal([]), illegal(1)],
  remoteRepositoryPassword: [
    legal(newPassword()),
    legal(null),
    legal(newPassword()),
    legal(''),
    legal(newPassword()),
    illegal([]),
  ],
  isRemoteCacheEnabled: [legal(true), legal(false), illegal(null), illegal([]), illegal('true')],
  fileCacheTimeTillRevalidation: milliseconds,
  metadataCacheTimeTillRevalidation: milliseconds,
};

const bodyOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])),
  );

const areLegal = (fields: Fields): boolean => Object.values(fields).every((sent) => sent.legal);

const wanted = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { value, becomes }]) => (value === undefined ? [] : [[name, becomes]])),
  );

const hostOf = (url: unknown): string => new URL(String(url)).host;

describe('A merge patch', () => {
  it('of a remote repository keeps what is absent, clears by null and refuses the rest whole', async () => {
    const remote = await createRemote(service, workspace);
    let before: Record<string, unknown> = { ...remote };
    await fc.assert(
      fc.asyncProperty(mixed(remoteValues), async (fields) => {
        const { remoteRepositoryPassword = absent, ...others } = fields;
        const answer = await patch(remote, bodyOf(fields));
        if (areLegal(fields)) {
          const after: Record<string, unknown> = { ...before, ...wanted(others) };
          const isMoved = hostOf(after.remoteRepositoryUrl) !== hostOf(before.remoteRepositoryUrl);
          const { value } = remoteRepositoryPassword;
          after.hasRemoteRepositoryPassword =
            value === undefined ? before.hasRemoteRepositoryPassword === true && !isMoved : Boolean(value);
          const isDropped = value === undefined && isMoved && before.hasRemoteRepositoryPassword === true;
          expect(answer.result).toEqual({ ...after, remoteRepositoryPasswordDropped: isDropped });
          before = after;
        } else {
          expect(answer.code).toBe('REQUEST_INVALID');
          const broken = Object.entries(fields).flatMap(([name, sent]) => (sent.legal ? [] : [`/${name}`]));
          expect(answer.problem?.violations.map(({ pointer }) => pointer).toSorted()).toEqual(broken.toSorted());
        }
        expect(await get(remote)).toEqual(before);
      }),
      { numRuns: 100, examples: oneByOne(remoteValues) },
    );
  });

  it('of a virtual repository keeps what is absent, clears by null and refuses the rest whole', async () => {
    const [one, two, three] = (await locals(3)) as [Named, Named, Named];
    const remote = await createRemote(service, workspace);
    const virtual = await createVirtual(service, workspace, [one, remote], { uploadLocalRepositoryId: one.id });
    const names = new Map([one, two, three, remote].map(({ id, name }) => [id, name]));
    const lists = [[one], [two, one], [one, two, three, remote], [remote, one]].map((list) => list.map(({ id }) => id));
    const virtualValues: Values = {
      childRepositoryIds: [
        ...lists.map((list) => legal(list)),
        ...[[], null, [one.id, one.id], [virtual.id], ['x'], one.id, [null]].map(illegal),
      ],
      uploadLocalRepositoryId: [
        ...[one, two, three].map(({ id }) => legal(id)),
        legal(null),
        ...[[], '', remote.id, 'x', 1].map(illegal),
      ],
      upstreamNames: [
        legal({ allow: ['left-pad'], block: ['@acme/*'] }),
        { value: null, legal: true },
        ...[[], '', { deny: [] }, { allow: null }, { block: ['a*b'] }].map(illegal),
      ],
    };
    let before: Record<string, unknown> = { ...virtual };
    await fc.assert(
      fc.asyncProperty(mixed(virtualValues), async (fields) => {
        const answer = await patch(virtual, bodyOf(fields));
        const after: Record<string, unknown> = { ...before, ...wanted(fields) };
        const ids = after.childRepositoryIds as string[];
        const upload = after.uploadLocalRepositoryId as string | null;
        if (areLegal(fields) && (upload === null || ids.includes(upload))) {
          const named = (id: string) => ({ id, name: names.get(id) });
          after.childRepositories = ids.map(named);
          after.uploadTargetLocalRepository = upload === null ? null : named(upload);
          expect(answer.result).toEqual(after);
          before = after;
        } else expect(answer.code).toBe('REQUEST_INVALID');
        expect(await get(virtual)).toEqual(before);
      }),
      { numRuns: 75, examples: oneByOne(virtualValues) },
    );
  });
});

describe('Two patches at once', () => {
  it('of different fields are both done', async () => {
    const remote = await createRemote(service, workspace);
    for (let round = 1; round <= roundsOf(12); round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const bodies = [
        { remoteRepositoryUsername: `u${round}` },
        { fileCacheTimeTillRevalidation: round },
        { metadataCacheTimeTillRevalidation: round },
        { remoteRepositoryUrl: `https://one.example/${round}` },
        { isRemoteCacheEnabled: round % 3 === 0 },
      ];
      const answers = await Promise.all(bodies.map((body) => patch(remote, body)));
      expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
      expect(await get(remote)).toMatchObject(Object.assign({}, ...bodies));
    }
  });

  it('of the two lists of names are both done', async () => {
    const virtual = await createVirtual(service, workspace, await locals(1));
    for (let round = 0; round < roundsOf(12); round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const lists = { allow: [`a${round}`], block: [`b${round}`] };
      const answers = await Promise.all(
        Object.entries(lists).map(([list, names]) => patch(virtual, { upstreamNames: { [list]: names } })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await get(virtual)).toMatchObject({ upstreamNames: lists });
    }
  });

  it('of children and of the upload target are both done', async () => {
    const [one, two] = (await locals(2)) as [Named, Named];
    const virtual = await createVirtual(service, workspace, [one]);
    for (let round = 0; round < roundsOf(12); round += 1) {
      service.proxy.conflictsLikeDynamoDb = round % 2 === 1;
      const childRepositoryIds = round % 2 === 0 ? [one.id, two.id] : [two.id, one.id];
      const uploadLocalRepositoryId = round % 3 === 0 ? null : one.id;
      const answers = await Promise.all([
        patch(virtual, { childRepositoryIds }),
        patch(virtual, { uploadLocalRepositoryId }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await get(virtual)).toMatchObject({ childRepositoryIds, uploadLocalRepositoryId });
    }
  });
});
