import fc from 'fast-check';
import { createVirtual } from '../harness/repositories.ts';
import type { Service } from '../harness/service.ts';
import type { Upstream } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';
import { type askIn, type GatedType, newName } from './gated-type.ts';

type Ask = ReturnType<typeof askIn>;

/** The statuses of all files of a version. */
export const statusesOf = async (
  ask: Ask,
  { type, file, files }: GatedType,
  repository: Named,
  [name, version]: readonly [name: string, version: string],
): Promise<readonly number[]> => {
  const found = new Set<number>();
  for (const path of files(name, version))
    for (const method of ['GET', 'HEAD'] as const)
      found.add((await ask(file, type, repository, path, {}, method)).status);
  return [...found];
};

/** A version as a verdict or an advisory names it. */
export const namedVersion = ({ versionOf }: GatedType, version: string): string =>
  versionOf?.(version).split('#')[0] ?? version;

/** Where versions are blocked, and how. */
export interface Blocking {
  readonly service: Service;
  readonly upstream: Upstream;
  readonly workspace: Named;
  readonly ask: Ask;
  readonly remoteOf: (type: GatedType) => Promise<Named>;
  readonly block: (packageType: string, name: string, versions: string[]) => Promise<void>;
}

const versions = fc.uniqueArray(
  fc.integer({ min: 1, max: 9 }).map((minor) => `1.${minor}.0`),
  { minLength: 1, maxLength: 4 },
);

/** How often something is tried with generated versions. */
const rounds = Number(process.env.GATE_ROUNDS ?? 3);

/** Sees that exactly the blocked versions are in no form of a document and by no path, also through a virtual repository. */
export const expectExactlyBlocked = async (
  { service, upstream, workspace, ask, remoteOf, block }: Blocking,
  each: GatedType,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(versions, fc.infiniteStream(fc.boolean()), async (all, choices) => {
      const name = (each.newName ?? newName)();
      upstream.answer = each.answer(name, Object.fromEntries(all.map((version) => [version, 9_000])));
      const repository = await remoteOf(each);
      const virtual = await createVirtual(service, workspace, [repository], { packageType: each.type });
      const blocked = new Set(all.filter(() => choices.next().value));
      const named = Array.from(blocked, (version) => namedVersion(each, version));
      if (named.length > 0) await block(each.type, name, named);
      const left = all.filter((version) => !blocked.has(version));
      for (const one of [repository, virtual]) {
        for (const listed of await each.listed(one, name)) expect(listed.toSorted()).toEqual(left.toSorted());
        for (const version of all)
          expect([version, await statusesOf(ask, each, one, [name, version])]).toEqual([
            version,
            [blocked.has(version) ? 403 : 200],
          ]);
      }
    }),
    { numRuns: rounds },
  );
