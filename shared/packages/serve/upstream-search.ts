import type { Table } from '../../table/client.ts';
import { upstreamPauseKey } from '../../table/packages/package-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { readMetadata } from '../../upstream/read-metadata.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import { malformed } from '../formats/format-problem.ts';
import { isObject, type JsonObject, parseObject } from '../formats/json-objects.ts';
import { answeringSources, headKeys, isRemote } from '../sources/resolution.ts';
import { isBlocked, type Sources } from '../sources/sources.ts';
import { askUpstream, forFetching, withReserve } from '../upstream/upstream-request.ts';
import { joinAnswers, type Unreachable } from './joined-answers.ts';

/** A package that an upstream finds. */
export interface FoundPackage {
  /** Its name, normalised by the rules of the package type. */
  readonly name: string;
  /** The package as the answer of the upstream describes it. */
  readonly object: JsonObject;
}

/** The packages that an upstream finds, and their number on all of its pages. */
export interface FoundPackages {
  readonly packages: readonly FoundPackage[];
  readonly total: number;
}

/** Loads a document from an upstream as an object, uncached; undefined if the upstream does not have it. */
export type LoadJson = (url: string) => Promise<JsonObject | undefined>;

/** What is sent to upstreams, and how a package type reads their answers. */
export interface UpstreamSearch {
  /** The parts of the text that must not be in `block`, normalised like names. Without any, nothing is sent. */
  readonly parts: readonly string[];
  /** Those that are names of packages. */
  readonly names: readonly string[];
  /** The URL of a search; undefined if the upstream cannot search. */
  readonly urlOf: (source: RemoteRepository, load: LoadJson) => Promise<string | undefined>;
  /** What the requests accept. By default, it is JSON. */
  readonly accept?: string;
  /** Parses an answer that may be something else than JSON. Throws if it is not well-formed. */
  readonly parse?: (sent: Buffer, url: string) => JsonObject;
  /** Reads the result of a search. Throws if the answer is none. */
  readonly foundIn: (answer: JsonObject, source: RemoteRepository) => FoundPackages;
}

/** The packages that upstreams find. */
export interface UpstreamFound extends FoundPackages {
  /** The remote repositories whose upstreams failed. */
  readonly unreachable: readonly Unreachable<RemoteRepository>[];
}

/** A text of more words is not sent upstream: each word costs a read. */
const partsMax = 40;

/**
 * Searches the upstreams of all remote sources. A text is sent unless it has a name that must not go upstream. Packages that
 * a client would not get from an upstream are left out.
 */
export const searchUpstreams = async (
  table: Table,
  sources: Sources,
  search: UpstreamSearch,
): Promise<UpstreamFound> => {
  const remotes = sources.all.filter(isRemote);
  const isSent = remotes.length > 0 && (await mayBeSent(table, sources, search));
  const answers = await joinAnswers(isSent ? remotes : [], async (source) => searchOne(table, source, search));
  const found = answers.found.map(({ value }) => value);
  const byName = new Map<string, FoundPackage>();
  for (const each of found.flatMap(({ packages }) => packages)) if (!byName.has(each.name)) byName.set(each.name, each);
  const fetchable = await fetchableNames(table, sources, Array.from(byName.keys()));
  return {
    packages: Array.from(byName.values()).filter(({ name }) => fetchable.has(name)),
    total: found.reduce((sum, { total }) => sum + total, 0),
    unreachable: answers.unreachable,
  };
};

const mayBeSent = async (table: Table, sources: Sources, { parts, names }: UpstreamSearch): Promise<boolean> => {
  if (parts.length > partsMax || parts.length === 0) return false;
  if (parts.some((part) => isBlocked(part, sources.upstreamNames))) return false;
  return (await fetchableNames(table, sources, names)).size === new Set(names).size;
};

/** Those of some names that a remote source may answer for. */
export const fetchableNames = async (
  table: Table,
  sources: Sources,
  names: readonly string[],
): Promise<ReadonlySet<string>> => {
  const heads = await table.read(names.flatMap((name) => headKeys(sources, name)));
  return new Set(names.filter((name) => answeringSources(sources, name, heads).some(isRemote)));
};

const parseJson = (sent: Buffer): JsonObject => parseObject(sent, 'The answer of the upstream');

const searchOne = async (
  requestTable: Table,
  source: RemoteRepository,
  { accept = 'application/json', parse = parseJson, urlOf, foundIn }: UpstreamSearch,
): Promise<FoundPackages> => {
  const table = forFetching(requestTable);
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  const load: LoadJson = async (url) => {
    const question = { source, url, content: 'metadata', accept, pause } as const;
    const answer = await askUpstream(table, question);
    if (answer.kind !== 'content') return undefined;
    const sent = await readMetadata(answer.response);
    try {
      return parse(sent, url);
    } catch (cause) {
      throw new UpstreamError('protocol', answer.response.context, 'sent something else than a JSON object', cause);
    }
  };
  return withReserve(async () => {
    const url = await urlOf(source, load);
    const answer = url === undefined ? undefined : await load(url);
    // Not every registry can search.
    if (url === undefined || !answer) return { packages: [], total: 0 };
    return readResult(url, () => foundIn(answer, source));
  });
};

const readResult = (url: string, read: () => FoundPackages): FoundPackages => {
  try {
    return read();
  } catch (cause) {
    throw new UpstreamError('protocol', { host: new URL(url).host, status: 200 }, 'sent no result of a search', cause);
  }
};

/** The packages that an answer lists. Throws if it has no such list. */
export const listedObjects = (list: unknown): readonly JsonObject[] => {
  if (!Array.isArray(list)) throw malformed('The answer has no list of packages.');
  return list.filter(isObject);
};

/** The total of an answer, or the number of its packages if it has none. */
export const foundPackages = (packages: readonly FoundPackage[], total: unknown): FoundPackages => ({
  packages,
  total: Number.isSafeInteger(total) ? Number(total) : packages.length,
});
