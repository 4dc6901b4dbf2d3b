import type { ApiError } from '../../shared/errors.ts';
import { isLeading } from '../../shared/packages/changes/tag-items.ts';
import { isHeld } from '../../shared/packages/releases/open-gate.ts';
import { firstAnswer, isOfUpstream } from '../../shared/packages/serve/joined-answers.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { answeringSources, holderKeys, isLocal } from '../../shared/packages/sources/resolution.ts';
import type { Source, Sources } from '../../shared/packages/sources/sources.ts';
import { type CacheState, fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { Table } from '../../shared/table/client.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { tagKey, versionKey } from '../../shared/table/packages/package-keys.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { loadTag } from './upstream.ts';
import { refusalOf, rulingOnManifest } from './verdicts.ts';

/** Where a tag leads, and the repository that says so. */
export interface Tagged {
  readonly digest: string;
  readonly source: Source;
  /** How a remote repository knows. */
  readonly cache?: CacheState;
  /** The remote repositories before it whose upstreams failed. */
  readonly unreachable: readonly string[];
}

/** The parts of a request that looking for a tag needs. */
interface TagCall {
  readonly table: Table;
  readonly loaded: IdentityMap;
  readonly query: { readonly wait?: number | undefined };
}

const readTags = async ({ table, loaded }: TagCall, sources: Sources, image: string, tag: string): Promise<void> => {
  const refs = sources.all.filter(isLocal).map((source) => ({ contentId: contentIdOf(source), name: image }));
  await table.read([...holderKeys(sources, image), ...refs.map((ref) => tagKey(ref, tag))], loaded);
  const versions = refs.flatMap((ref) => {
    const item = loaded.find(tagKey(ref, tag));
    return item ? [versionKey(ref, item.version)] : [];
  });
  await table.read(versions, loaded);
};

const localTag = ({ loaded }: TagCall, source: LocalRepository, image: string, tag: string): string | undefined => {
  const ref = { contentId: contentIdOf(source), name: image };
  const item = loaded.find(tagKey(ref, tag));
  return item && isLeading(item, loaded.find(versionKey(ref, item.version))) ? item.version : undefined;
};

/**
 * Finds where a tag leads: in the first repository that has it. Throws the refusal of an upstream that failed, or VERSION_BLOCKED,
 * if no repository after it has the tag.
 */
export const findTag = async (
  call: TagCall,
  sources: Sources,
  image: string,
  tag: string,
): Promise<Tagged | undefined> => {
  await readTags(call, sources, image, tag);
  const shown = (tagged: Tagged) => readable(tagged.source, { kind: 'tag', name: image, tag }, tagged);
  return firstAnswer(
    answeringSources(sources, image, call.loaded),
    async (source, failed): Promise<Tagged | undefined> => {
      const unreachable = failed.flatMap(({ source: { name }, refusal }) => (isHeld(refusal) ? [] : name));
      if (isLocal(source)) {
        const digest = localTag(call, source, image, tag);
        return digest === undefined ? undefined : shown({ digest, source, unreachable });
      }
      const found = await loadTag(fetchRequest(call), source, image, tag);
      if (!found) return undefined;
      const digest = await found.read();
      const refusal = refusalOf(source, image, tag, rulingOnManifest(source, image, [digest, tag]));
      if (refusal) throw refusal;
      return shown({ digest, source, cache: found.cache, unreachable });
    },
    // A repository after it may have the tag of another image.
    (error): error is ApiError => isOfUpstream(error) || isHeld(error),
  );
};
