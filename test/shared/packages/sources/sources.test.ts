import { randomUUID } from 'node:crypto';
import { typeFacts } from '../../../../infra/api/built-types.ts';
import type { PackageType } from '../../../../shared/package-types.ts';
import {
  isAllowed,
  isBlocked,
  reach,
  revisionOfRules,
  sourcesOf,
  verdictKeys,
} from '../../../../shared/packages/sources/sources.ts';
import { IdentityMap } from '../../../../shared/table/identity-map.ts';
import { keyText, repositoryKey, verdictsKey } from '../../../../shared/table/keys.ts';
import type { Repository } from '../../../../shared/table/repositories/repositories.ts';

describe('A list of names for upstreams', () => {
  it.each([
    ['left-pad', ['left-pad'], true],
    ['left-pad', ['left', 'left-pad-2', 'LEFT-PAD'], false],
    ['@acme/tool', ['@acme/*'], true],
    ['@acme2/tool', ['@acme/*'], false],
    ['anything', ['*'], true],
    ['anything', [], false],
    ['a*b', ['a*b'], true],
    ['axb', ['a*b'], false],
  ])('decides about %s by %j: %s', (name, list, expected) => {
    expect(isAllowed(name, { allow: list, block: [] })).toBe(expected);
    expect(isBlocked(name, { allow: [], block: list })).toBe(expected);
  });

  it('blocks a name in whatever case by an entry in lower case, and allows it in the same case alone', () => {
    const rules = { allow: ['jsonstream'], block: ['jsonstream', 'acme-*', 'Exact'] };
    for (const name of ['JSONStream', 'jsonstream', 'Acme-Tool', 'Exact']) expect(isBlocked(name, rules)).toBe(true);
    expect([isBlocked('exact', rules), isAllowed('JSONStream', rules)]).toEqual([false, false]);
  });

  it('is part of the revision of what it decides about', () => {
    const revision = (allow: readonly string[], block: readonly string[]) =>
      revisionOfRules({ all: [], upstreamNames: { allow, block } });
    expect(new Set([revision([], []), revision(['a'], []), revision([], ['a']), revision([], ['a', 'b'])]).size).toBe(
      4,
    );
  });
});

const workspaceId = 'workspace';
const local = (repositoryId: string) =>
  ({ repositoryId, workspaceId, name: repositoryId, repositoryType: 'local' }) as Repository;
const virtual = (
  repositoryId: string,
  children: readonly string[],
  block: readonly string[] = [],
  allow: readonly string[] = [],
) =>
  ({
    ...local(repositoryId),
    repositoryType: 'virtual',
    children: children.map((id) => ({ id, name: id })),
    upstreamNames: { allow, block },
  }) as Repository;

const loadedWith = (...repositories: readonly Repository[]): IdentityMap => {
  const loaded = new IdentityMap();
  for (const repository of repositories) {
    const key = repositoryKey(workspaceId, repository.repositoryId);
    loaded.add([keyText(key)], [{ ...key, ...repository }]);
  }
  return loaded;
};

const idsOf = (repository: Repository, ...others: readonly Repository[]) =>
  sourcesOf(repository, loadedWith(repository, ...others)).all.map(({ repositoryId }) => repositoryId);

describe('The sources of a repository', () => {
  it('are the repository itself, unless it is virtual', () => {
    expect(idsOf(local('a'))).toEqual(['a']);
  });

  it('are those of a virtual one in its order, through other virtual ones, each once', () => {
    const inner = virtual('inner', ['b', 'a']);
    expect(idsOf(virtual('outer', ['c', 'inner', 'a', 'd']), inner, ...['a', 'b', 'c', 'd'].map(local))).toEqual([
      'c',
      'b',
      'a',
      'd',
    ]);
  });

  it('leave out what was deleted, and end where virtual ones contain each other', () => {
    const [one, two] = [virtual('one', ['two', 'a', 'gone']), virtual('two', ['one', 'b'])];
    expect(idsOf(one, two, local('a'), local('b'))).toEqual(['b', 'a']);
  });

  it('block what any of the virtual ones blocks, and open what the one in the path opens', () => {
    const inner = virtual('inner', [], ['inside'], ['opened-inside']);
    const outer = virtual('outer', ['inner'], ['outside'], ['opened']);
    expect(sourcesOf(outer, loadedWith(outer, inner)).upstreamNames).toEqual({
      allow: ['opened'],
      block: ['outside', 'inside'],
    });
  });
});

describe('The verdicts on the packages of a repository', () => {
  const readFor = (packageType: PackageType, repositoryType: 'local' | 'remote'): readonly string[] => {
    const repositoryId = randomUUID();
    const loaded = loadedWith({ ...local(repositoryId), repositoryType, packageType } as Repository);
    return verdictKeys(reach(workspaceId, repositoryId, loaded)).map(keyText);
  };

  it('are read where an upstream may have a blocked version, and it can be kept out', () => {
    process.env.STOCKROOM_PACKAGE_TYPES = typeFacts();
    for (const type of ['npm', 'docker', 'universal'] as const) {
      expect(readFor(type, 'remote')).toEqual([keyText(verdictsKey(workspaceId, type))]);
      expect(readFor(type, 'local')).toEqual([]);
    }
    for (const type of ['rpm', 'debian'] as const) expect(readFor(type, 'remote')).toEqual([]);
  });
});
