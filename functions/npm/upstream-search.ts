import type { ApiError } from '../../shared/errors.ts';
import { askUpstream, forFetching, isUpstreamRefusal, withReserve } from '../../shared/packages/asking-upstream.ts';
import { isObject, type JsonObject, parseObject } from '../../shared/packages/json-objects.ts';
import { answeringSources, headKeys, isRemote } from '../../shared/packages/resolution.ts';
import { isListed, type Sources } from '../../shared/packages/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { upstreamPauseKey } from '../../shared/table/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories.ts';
import { readMetadata } from '../../shared/upstream/read-metadata.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import { isPackageName } from './names.ts';
import { type SearchQuery, sizeMax } from './search.ts';

/** A package that an upstream finds, as its answer describes it. */
interface FoundPackage {
  readonly name: string;
  readonly object: JsonObject;
}

interface Found {
  readonly packages: readonly FoundPackage[];
  readonly total: number;
}

/** The packages that upstreams find. */
export interface UpstreamFound extends Found {
  /** The refusals of remote repositories whose upstreams failed. */
  readonly refusals: ReadonlyMap<RemoteRepository, ApiError>;
}

/** A text of more words is not sent upstream: each word costs a read. */
const wordsMax = 20;

/**
 * Searches the upstreams of all remote sources. A text is sent unless it has a name that must not go upstream. Packages that
 * a client would not get from an upstream are left out.
 */
export const searchUpstreams = async (
  table: Table,
  sources: Sources,
  text: string,
  search: SearchQuery,
): Promise<UpstreamFound> => {
  const remotes = sources.all.filter(isRemote);
  const isSent = remotes.length > 0 && (await mayBeSent(table, sources, search));
  // The pages of several upstreams can only be joined from the first one on.
  const size = Math.min(search.from + search.size, sizeMax);
  const answers = await Promise.all(
    (isSent ? remotes : []).map(async (source) => searchOne(table, source, { text, size })),
  );
  const found = answers.filter((answer) => 'packages' in answer);
  const byName = new Map<string, FoundPackage>();
  for (const each of found.flatMap(({ packages }) => packages)) if (!byName.has(each.name)) byName.set(each.name, each);
  const fetchable = await fetchableNames(table, sources, Array.from(byName.keys()));
  return {
    packages: Array.from(byName.values()).filter(({ name }) => fetchable.has(name)),
    total: found.reduce((sum, { total }) => sum + total, 0),
    refusals: new Map(answers.flatMap((answer) => ('refusal' in answer ? [[answer.source, answer.refusal]] : []))),
  };
};

const mayBeSent = async (table: Table, sources: Sources, { words, scope }: SearchQuery): Promise<boolean> => {
  const scopes = [...(scope === undefined ? [] : [`@${scope}/`]), ...words.map((word) => `${word}/`)];
  if (words.length > wordsMax || words.length + scopes.length === 0) return false;
  if ([...words, ...scopes].some((part) => isListed(part, sources.upstreamNames.block))) return false;
  const names = words.filter(isPackageName);
  return (await fetchableNames(table, sources, names)).size === new Set(names).size;
};

/** Those of some names that a remote source may answer for. */
const fetchableNames = async (
  table: Table,
  sources: Sources,
  names: readonly string[],
): Promise<ReadonlySet<string>> => {
  const heads = await table.read(names.flatMap((name) => headKeys(sources, name)));
  return new Set(names.filter((name) => answeringSources(sources, name, heads).some(isRemote)));
};

interface Refused {
  readonly source: RemoteRepository;
  readonly refusal: ApiError;
}

const searchOne = async (
  requestTable: Table,
  source: RemoteRepository,
  { text, size }: { readonly text: string; readonly size: number },
): Promise<Found | Refused> => {
  const table = forFetching(requestTable);
  const url = new URL(source.remoteRepositoryUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/-/v1/search`;
  url.searchParams.set('text', text);
  url.searchParams.set('size', String(size));
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  try {
    return await withReserve(async () => {
      const question = { source, url: url.href, content: 'metadata', accept: 'application/json', pause } as const;
      const answer = await askUpstream(table, question);
      // Not every registry can search.
      if (answer.kind !== 'content') return { packages: [], total: 0 };
      const sent = await readMetadata(answer.response);
      try {
        return foundIn(parseObject(sent, 'The answer of the upstream'));
      } catch (cause) {
        throw new UpstreamError('protocol', answer.response.place, 'sent no result of a search', cause);
      }
    });
  } catch (refusal) {
    if (isUpstreamRefusal(refusal)) return { source, refusal };
    throw refusal;
  }
};

const foundIn = ({ objects, total }: JsonObject): Found => {
  const packages = (Array.isArray(objects) ? objects : []).filter(isObject).flatMap((object) => {
    const name = isObject(object.package) ? object.package.name : undefined;
    return typeof name === 'string' && isPackageName(name) ? [{ name, object }] : [];
  });
  return { packages, total: Number.isSafeInteger(total) ? Number(total) : packages.length };
};
