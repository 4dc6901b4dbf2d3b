import { deleteContent } from '../../../functions/packages/contracts.ts';
import { deleteRepository } from '../../../functions/repositories/contracts.ts';
import { currentGeneration } from '../../../shared/packages/generations/generations.ts';
import { Table } from '../../../shared/table/client.ts';
import { blobKey, repositoryKey } from '../../../shared/table/keys.ts';
import { generationKey } from '../../../shared/table/packages/package-keys.ts';
import { contentIdOf, type Repository } from '../../../shared/table/repositories/repositories.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import type { Actor, Named } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let admin: Actor;
beforeAll(async () => {
  [workspace, admin] = [await service.world.workspace(), await service.world.systemAdmin()];
});

const found = async ({ id }: Pick<Named, 'id'>): Promise<Repository> => {
  const key = repositoryKey(workspace.id, id);
  const repository = (await new Table().read([key])).find(key);
  if (!repository) throw new Error('There is no such repository.');
  return repository;
};

const newRepository = async (): Promise<Repository> =>
  found(await service.world.repository(workspace, undefined, 'gems'));

const current = async (repository: Repository, revision: string, make: (before: string | undefined) => string) => {
  const wanted = { document: 'list', revision, make: async (before?: Buffer) => Buffer.from(make(before?.toString())) };
  return (await currentGeneration({ table: new Table(), repository }, wanted)).toString();
};

const stored = async (repository: Repository) => {
  const key = generationKey(contentIdOf(repository), 'list');
  const item = (await new Table().read([key])).find(key);
  const blob = item && blobKey(workspace.id, item.blob.sha256);
  return { item, blob: blob && (await new Table().read([blob])).find(blob) };
};

describe('A generation', () => {
  it('is made once for a revision, from the one before', async () => {
    const repository = await newRepository();
    let count = 0;
    const grow = (before = 'begin') => {
      count += 1;
      return `${before}\n${count}`;
    };
    expect(await current(repository, 'one', grow)).toBe('begin\n1');
    expect(await current(repository, 'one', grow)).toBe('begin\n1');
    expect(await current(repository, 'two', grow)).toBe('begin\n1\n2');
    expect(count).toBe(2);
  });

  it('refers to its bytes, and no longer to those of the one before', async () => {
    const repository = await newRepository();
    await current(repository, 'one', () => 'bytes of the first');
    const first = await stored(repository);
    expect(first.blob).toMatchObject({ references: 1, state: 'live' });
    await current(repository, 'two', () => 'bytes of the second');
    const key = blobKey(workspace.id, first.item?.blob.sha256 ?? '');
    expect((await new Table().read([key])).find(key)).toMatchObject({ references: 0 });
    expect((await stored(repository)).blob).toMatchObject({ references: 1 });
  });

  it('keeps its bytes if another revision has the same', async () => {
    const repository = await newRepository();
    await current(repository, 'one', () => 'the same bytes');
    await current(repository, 'two', () => 'the same bytes');
    const { item, blob } = await stored(repository);
    expect([item?.revision, blob?.references]).toEqual(['two', 1]);
  });

  it('is one for all who make it at once: each gets what was there before it asked, behind what the one before had', async () => {
    const repository = await newRepository();
    const source: string[] = [];
    const grow = (before = ''): string => before + source.filter((word) => !before.includes(word)).join('');
    const texts = await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const word = `[${at}]`;
        source.push(word);
        const text = await current(repository, word, grow);
        return { word, text };
      }),
    );
    const longest = texts.map(({ text }) => text).toSorted((one, other) => other.length - one.length)[0] ?? '';
    for (const { word, text } of texts) expect([text.includes(word), longest.startsWith(text)]).toEqual([true, true]);
  });

  it('is made anew by who loses to one that was begun before', async () => {
    const repository = await newRepository();
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const source = ['one'];
    const call = { table: new Table(), repository };
    const first = currentGeneration(call, {
      document: 'list',
      revision: 'one',
      make: async () => {
        const text = source.join();
        begun.resolve();
        await released.promise;
        return Buffer.from(text);
      },
    });
    await begun.promise;
    source.push('two');
    let count = 0;
    const second = await currentGeneration(call, {
      document: 'list',
      revision: 'two',
      make: async () => {
        count += 1;
        released.resolve();
        expect((await first).toString()).toBe('one');
        return Buffer.from(source.join());
      },
    });
    expect([second.toString(), count]).toEqual(['one,two', 2]);
  });

  it('is that of another request for who has lost twice: it was begun since', async () => {
    const repository = await newRepository();
    let count = 0;
    const content = await currentGeneration(
      { table: new Table(), repository },
      {
        document: 'list',
        revision: 'mine',
        make: async () => {
          count += 1;
          await current(repository, `other ${count}`, () => `other ${count}`);
          return Buffer.from('mine');
        },
      },
    );
    expect([content.toString(), count]).toEqual(['other 2', 2]);
  });

  it('is not stored in a repository that was emptied meanwhile', async () => {
    const repository = await newRepository();
    const params = { workspace: workspace.id, repository: repository.repositoryId };
    await service.client.succeed(deleteContent, { params, as: admin.bearer });
    await expect(current(repository, 'one', () => 'text')).rejects.toMatchObject({ code: 'REPOSITORY_NOT_FOUND' });
    expect((await stored(repository)).item).toBeUndefined();
  });

  it('goes with its repository, also with a virtual one', async () => {
    const local = await newRepository();
    const virtual = await createVirtual(service, workspace, [{ id: local.repositoryId }], { packageType: 'gems' });
    const repository = await found(virtual);
    await current(repository, 'one', () => 'bytes of a virtual repository');
    const params = { workspace: workspace.id, repository: virtual.id };
    await service.client.succeed(deleteRepository, { params, as: admin.bearer });
    expect(await service.runner.runScheduled('sweeper')).toBe(true);
    expect((await stored(repository)).item).toBeUndefined();
  });
});
