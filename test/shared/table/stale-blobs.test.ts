import { randomUUID } from 'node:crypto';
import { findStoredBlob } from '../../../shared/packages/blobs/blob-storage.ts';
import { blobObjectKey } from '../../../shared/store/keys.ts';
import { putObjectOnce } from '../../../shared/store/objects.ts';
import { Table } from '../../../shared/table/client.ts';
import { blobKey, blobSweepKey, blobSweepsList, contentSweepsList } from '../../../shared/table/keys.ts';
import {
  announceBlob,
  type Blob,
  type BlobRef,
  endBlob,
  forgetBlob,
  listDueBlobs,
  referToBlob,
  releaseBlob,
} from '../../../shared/table/packages/blobs.ts';
import { packageEntryKey, packageHeadKey, versionKey } from '../../../shared/table/packages/package-keys.ts';
import { leaveContent } from '../../../shared/table/queues/content-sweeps.ts';
import { sweepContent } from '../../../shared/table/repositories/swept-content.ts';
import type { Write } from '../../../shared/table/writes.ts';
import { sha256 } from '../../harness/bytes.ts';
import { useService } from '../../harness/service.ts';

// Each function gets a blob that another request has changed since it was read: what races over HTTP meet by chance, and here
// every time.
useService();

const hour = 3_600_000;
const later = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

/** Writes that must not be refused. */
const write = async (...writes: readonly Write[]): Promise<void> => {
  expect(await new Table().writeUnrecorded([...writes])).toBeUndefined();
};
const isRefused = async (...writes: readonly Write[]): Promise<boolean> =>
  (await new Table().writeUnrecorded([...writes])) !== undefined;

/** A table on which others act once, after what a function reads and before what it writes. */
const overtaken = (operation: 'read' | 'query', act: () => Promise<unknown>, after = 0): Table => {
  const table = new Table();
  const original = table[operation].bind(table) as (...given: never[]) => Promise<unknown>;
  let calls = 0;
  return Object.assign(table, {
    [operation]: async (...given: never[]) => {
      const found = await original(...given);
      calls += 1;
      if (calls === after + 1) await act();
      return found;
    },
  });
};

const itemOf = async ({ workspaceId, sha256: hash }: Pick<BlobRef, 'workspaceId' | 'sha256'>) => {
  const key = blobKey(workspaceId, hash);
  return (await new Table().read([key])).find(key);
};

/** The bytes of a test, which no other test has. */
const newBytes = () => ({ sha256: sha256(randomUUID()), size: 5 });

const pending = async (): Promise<BlobRef> =>
  (await announceBlob(new Table(), randomUUID(), newBytes(), undefined)).ref;

const live = async (): Promise<BlobRef> => {
  const ref = await pending();
  await write(referToBlob(ref));
  return ref;
};

const released = async (): Promise<BlobRef> => {
  const ref = await live();
  await write(...releaseBlob(ref));
  return ref;
};

/** Lets a blob be due at another time. */
const reschedule = async ({ workspaceId, sha256: hash }: BlobRef, dueAt: string) => {
  await write(
    { update: blobKey(workspaceId, hash), set: 'SET #dueAt = :dueAt', values: { ':dueAt': dueAt } },
    { put: { ...blobSweepKey(dueAt, workspaceId, hash) } },
  );
  return { dueAt, workspaceId, sha256: hash, objectId: undefined };
};

const newDue = async () => {
  const ref = await released();
  return { ref, due: await reschedule(ref, later(-60_000)) };
};

const newDeleting = async () => {
  const { ref, due } = await newDue();
  expect(await endBlob(new Table(), due)).toEqual(ref);
  return { ref, due };
};

const announceAgain = async ({ workspaceId, sha256: hash }: BlobRef, known: Blob | undefined, table = new Table()) =>
  announceBlob(table, workspaceId, { sha256: hash, size: 5 }, known);

const newLifeOf = async (ref: BlobRef): Promise<BlobRef> => (await announceAgain(ref, await itemOf(ref))).ref;

const reborn = async () => {
  const { ref, due } = await newDeleting();
  return { old: ref, due, ref: await newLifeOf(ref) };
};

const isDayAway = (dueAt = ''): boolean => Math.abs(Date.parse(dueAt) - Date.now() - 24 * hour) < 60_000;

/** When the sweeper will look at a blob. */
const dueDatesOf = async ({ sha256: hash }: BlobRef): Promise<string[]> =>
  (await new Table().query(blobSweepsList)).items
    .map(({ position }) => position)
    .filter((position) => position.endsWith(hash))
    .map((position) => position.split('#')[0] ?? '');

describe('A reference to a blob', () => {
  it.each([
    ['pending', pending, 1],
    ['live', live, 2],
    ['released', released, 1],
  ] as const)('that is %s is added, and the blob is not due any more', async (_, make, references) => {
    const ref = await make();
    await write(referToBlob(ref));
    expect(await itemOf(ref)).toMatchObject({ state: 'live', references });
    expect(await itemOf(ref)).not.toHaveProperty('dueAt');
  });

  it('that is being deleted is refused, and so is one to an earlier life', async () => {
    const { ref } = await newDeleting();
    expect(await isRefused(referToBlob(ref))).toBe(true);
    expect(await itemOf(ref)).toMatchObject({ state: 'deleting', references: 0 });
    const next = await newLifeOf(ref);
    expect(await isRefused(referToBlob(ref))).toBe(true);
    await write(referToBlob(next));
    expect(await isRefused(referToBlob(ref))).toBe(true);
    expect(await itemOf(next)).toMatchObject({ state: 'live', references: 1, objectId: next.objectId });
  });

  it('that does not exist is refused', async () => {
    const ref = { workspaceId: randomUUID(), sha256: sha256(randomUUID()), objectId: 'none' };
    expect(await isRefused(referToBlob(ref))).toBe(true);
    expect(await itemOf(ref)).toBeUndefined();
  });

  it('is released once, and never one to another life', async () => {
    const { old, ref } = await reborn();
    await write(referToBlob(ref, 2));
    expect(await isRefused(...releaseBlob(old))).toBe(true);
    await write(...releaseBlob(ref, 2));
    expect(await isRefused(...releaseBlob(ref))).toBe(true);
    expect(await itemOf(ref)).toMatchObject({ references: 0 });
  });
});

describe('A blob that nothing refers to', () => {
  it.each([
    ['pending', pending],
    ['released', released],
  ] as const)('and that is %s stays for a day, when the sweeper looks at it', async (_, make) => {
    const ref = await make();
    const { dueAt } = (await itemOf(ref)) ?? {};
    expect(isDayAway(dueAt)).toBe(true);
    expect(await dueDatesOf(ref)).toContain(dueAt);
    expect(await listDueBlobs(new Table(), 1_000)).not.toContainEqual(expect.objectContaining({ sha256: ref.sha256 }));
  });

  it.each([
    [11, true],
    [13, false],
  ])('and has %i hours left is announced for another day: %p', async (hours, isProlonged) => {
    const ref = await pending();
    const { dueAt } = await reschedule(ref, later(hours * hour));
    expect(await newLifeOf(ref)).toEqual(ref);
    const now = (await itemOf(ref))?.dueAt;
    expect(now === dueAt).toBe(!isProlonged);
    expect(isDayAway(now)).toBe(isProlonged);
    expect(await dueDatesOf(ref)).toContain(now);
  });

  it('ends once it is due, and is forgotten with its entry in the queue', async () => {
    const { ref, due } = await newDeleting();
    expect(await itemOf(ref)).toMatchObject({ state: 'deleting', objectId: ref.objectId });
    // A run that was interrupted before it deleted the object is repeated.
    const entry = (await listDueBlobs(new Table(), 1_000)).find(({ sha256: hash }) => hash === ref.sha256);
    expect(entry).toEqual({ ...due, objectId: ref.objectId });
    await forgetBlob(new Table(), due, ref);
    expect(await itemOf(ref)).toBeUndefined();
    expect(await dueDatesOf(ref)).not.toContain(due.dueAt);
  });
});

describe('The end of a blob', () => {
  it.each([
    ['is due at another time', (ref: BlobRef) => reschedule(ref, later(hour))],
    ['got a reference', (ref: BlobRef) => write(referToBlob(ref))],
    [
      'got a reference and lost it again',
      async (ref: BlobRef) => {
        await write(referToBlob(ref));
        await write(...releaseBlob(ref));
      },
    ],
  ] as const)('that %s since it was queued, or read, does not come', async (_, change) => {
    for (const isRead of [false, true]) {
      const { ref, due } = await newDue();
      if (!isRead) await change(ref);
      const table = isRead ? overtaken('read', () => change(ref)) : new Table();
      expect(await endBlob(table, due)).toBeUndefined();
      expect((await itemOf(ref))?.state).toBe('live');
      await forgetBlob(new Table(), due, undefined);
      expect((await itemOf(ref))?.state).toBe('live');
    }
  });

  it('that another run has brought and whose bytes are stored anew does not come for the new life', async () => {
    const { ref, due } = await newDue();
    let next = ref;
    const table = overtaken('read', async () => {
      await endBlob(new Table(), due);
      next = await newLifeOf(ref);
      // By chance, it is due in the same millisecond.
      await reschedule(next, due.dueAt);
    });
    expect(await endBlob(table, due)).toBeUndefined();
    expect(next.objectId).not.toBe(ref.objectId);
    expect(await itemOf(ref)).toMatchObject({ state: 'pending', objectId: next.objectId });
  });

  it('does not come after another run has removed the entry from the queue', async () => {
    const { ref, due } = await newDue();
    const remove = () => write({ remove: blobSweepKey(due.dueAt, due.workspaceId, due.sha256) });
    expect(await endBlob(overtaken('read', remove), due)).toBeUndefined();
    expect(await itemOf(ref)).toMatchObject({ state: 'live', references: 0 });
  });

  it('leaves a new life alone, also one that has ended too', async () => {
    const { old, due, ref } = await reborn();
    await forgetBlob(new Table(), due, old);
    expect(await itemOf(ref)).toMatchObject({ state: 'pending', objectId: ref.objectId });
    expect(await dueDatesOf(ref)).not.toContain(due.dueAt);

    const second = await reborn();
    const next = await reschedule(second.ref, later(-30_000));
    expect(await endBlob(new Table(), next)).toEqual(second.ref);
    await forgetBlob(new Table(), second.due, second.old);
    // Without the item, nothing would say which object is still to be deleted.
    expect(await itemOf(second.ref)).toMatchObject({ state: 'deleting', objectId: second.ref.objectId });
  });

  it('does not remove a blob that lives', async () => {
    const { ref, due } = await newDue();
    await write(referToBlob(ref));
    await forgetBlob(new Table(), due, ref);
    expect(await itemOf(ref)).toMatchObject({ state: 'live', references: 1 });
    expect(await dueDatesOf(ref)).not.toContain(due.dueAt);
  });
});

describe('Bytes that are announced with a stale item', () => {
  it('take part in the life that another request has begun', async () => {
    const { ref } = await newDeleting();
    const stale = await itemOf(ref);
    const theirs = await newLifeOf(ref);
    expect(await announceAgain(ref, stale)).toEqual({ ref: theirs, isStored: false });
    await write(referToBlob(theirs));
    expect(await announceAgain(ref, stale)).toEqual({ ref: theirs, isStored: true });
    expect(await announceAgain(ref, undefined)).toEqual({ ref: theirs, isStored: true });
    expect(await itemOf(ref)).toMatchObject({ state: 'live', references: 1 });
  });

  it('begin a new life where the old one ended since', async () => {
    const { ref, due } = await newDue();
    const stale = await itemOf(ref);
    await endBlob(new Table(), due);
    const outcome = await announceAgain(ref, stale);
    expect(outcome).toEqual({ ref: expect.objectContaining({ sha256: ref.sha256 }), isStored: false });
    expect(outcome.ref.objectId).not.toBe(ref.objectId);
    expect(await itemOf(ref)).toMatchObject({ state: 'pending', objectId: outcome.ref.objectId });
  });

  it('do not give the bytes of the next life another object', async () => {
    const ref = await pending();
    const due = await reschedule(ref, later(-60_000));
    const stale = await itemOf(ref);
    await endBlob(new Table(), due);
    const theirs = await newLifeOf(ref);
    expect(await announceAgain(ref, stale)).toEqual({ ref: theirs, isStored: false });
    expect((await itemOf(ref))?.objectId).toBe(theirs.objectId);
  });

  it('do not take a reference away that was added since', async () => {
    const { ref } = await newDue();
    const stale = await itemOf(ref);
    await write(referToBlob(ref));
    expect(await announceAgain(ref, stale)).toEqual({ ref, isStored: true });
    expect(await itemOf(ref)).toMatchObject({ state: 'live', references: 1 });
  });
});

describe('The bytes of a blob', () => {
  const signal = () => AbortSignal.timeout(5_000);
  const store = (ref: BlobRef) => putObjectOnce(blobObjectKey(ref), Buffer.from('bytes'), signal());
  const find = ({ workspaceId, sha256: hash }: BlobRef) => findStoredBlob(new Table(), workspaceId, hash);

  it.each([
    ['pending', pending],
    ['live', live],
    ['released', released],
  ] as const)('that is %s are stored if its object is there', async (_, make) => {
    const ref = await make();
    expect(await find(ref)).toBeUndefined();
    await store(ref);
    expect(await find(ref)).toBe(ref.objectId);
  });

  it('that is being deleted do not count, and those of its next life only by themselves', async () => {
    const { ref } = await newDeleting();
    await store(ref);
    expect(await find(ref)).toBeUndefined();
    const next = await newLifeOf(ref);
    expect(await find(next)).toBeUndefined();
    await store(next);
    expect(await find(next)).toBe(next.objectId);
  });

  it('that nobody announced are not stored', async () => {
    expect(await find({ workspaceId: randomUUID(), sha256: sha256(randomUUID()), objectId: '' })).toBeUndefined();
  });
});

describe('A sweep of content', () => {
  /** A version that refers to bytes that another repository has, too, in content that is out of reach. */
  const abandoned = async () => {
    const blob = await live();
    const { workspaceId } = blob;
    await write(referToBlob(blob));
    const ref = { contentId: randomUUID(), name: 'app' };
    await write(
      leaveContent(ref.contentId, workspaceId),
      { put: { ...packageEntryKey(ref), name: ref.name } },
      { put: { ...versionKey(ref, '1.0.0'), version: '1.0.0', blob } },
    );
    return { blob, ref, sweep: { contentId: ref.contentId, workspaceId } };
  };
  type Abandoned = Awaited<ReturnType<typeof abandoned>>;
  const referencesOf = async ({ blob }: Abandoned) => (await itemOf(blob))?.references;
  /** Goes on until nothing is left. */
  const finish = async ({ sweep }: Abandoned): Promise<void> => {
    for (let runs = 0; !(await sweepContent(new Table(), sweep)).done; runs += 1) expect(runs).toBeLessThan(10);
    const { items } = await new Table().query(contentSweepsList);
    expect(items.map(({ position }) => position)).not.toContain(sweep.contentId);
  };

  it('releases what a version refers to, once', async () => {
    const left = await abandoned();
    await finish(left);
    expect(await referencesOf(left)).toBe(1);
  });

  it('releases the same bytes as often as versions refer to them', async () => {
    const left = await abandoned();
    await write(
      { put: { ...versionKey(left.ref, '2.0.0'), version: '2.0.0', blob: left.blob } },
      referToBlob(left.blob),
    );
    await finish(left);
    expect(await referencesOf(left)).toBe(1);
  });

  it.each([
    [
      'deletes the version',
      async ({ blob, ref }: Abandoned) =>
        write(
          {
            update: versionKey(ref, '1.0.0'),
            set: 'SET #deletedAt = :now',
            values: { ':now': new Date().toISOString() },
          },
          ...releaseBlob(blob),
        ),
    ],
    [
      'removes the version',
      async ({ blob, ref }: Abandoned) => write({ remove: versionKey(ref, '1.0.0') }, ...releaseBlob(blob)),
    ],
    [
      'gives the version other bytes',
      async ({ blob, ref }: Abandoned) => {
        const other = { ...(await live()), workspaceId: blob.workspaceId };
        await write({ put: { ...blobKey(other.workspaceId, other.sha256), ...other, state: 'live', references: 1 } });
        await write(
          { update: versionKey(ref, '1.0.0'), set: 'SET #blob = :other', values: { ':other': other } },
          ...releaseBlob(blob),
        );
      },
    ],
  ] as const)('releases nothing twice when another request %s meanwhile', async (_, act) => {
    const left = await abandoned();
    // The first query finds the package, and the second one its items.
    const table = overtaken('query', () => act(left), 1);
    expect(await sweepContent(table, left.sweep)).toEqual({ removed: 0, done: false });
    expect(await referencesOf(left)).toBe(1);
    await finish(left);
    expect(await referencesOf(left)).toBe(1);
  });

  it.each(['snapshot', 'blob'] as const)('releases a %s that an item got meanwhile', async (field) => {
    const left = await abandoned();
    const head = packageHeadKey(left.ref);
    await write({ put: { ...head, name: left.ref.name } });
    const table = overtaken(
      'query',
      () =>
        write({ update: head, set: `SET #${field} = :blob`, values: { ':blob': left.blob } }, referToBlob(left.blob)),
      1,
    );
    expect(await sweepContent(table, left.sweep)).toEqual({ removed: 0, done: false });
    await finish(left);
    expect(await referencesOf(left)).toBe(1);
  });
});
