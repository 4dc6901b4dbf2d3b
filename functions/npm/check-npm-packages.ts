import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import { type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { fetchableNames } from '../../shared/packages/serve/upstream-search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import { askUpstream, forFetching, withReserve } from '../../shared/packages/upstream/upstream-request.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Table } from '../../shared/table/client.ts';
import { upstreamPauseKey } from '../../shared/table/packages/package-keys.ts';
import { advisoryFeedKey } from '../../shared/table/repositories/advisory-keys.ts';
import { contentIdOf, type RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { readMetadata } from '../../shared/upstream/read-metadata.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import { auditAt } from './audits.ts';
import { checkNpmPackages } from './contracts.ts';
import { importedAudit } from './imported-audit.ts';
import { npm } from './type.ts';

/** Clients wait for the audit at the end of an installation. */
const answerMilliseconds = 5_000;

/** More names are not asked about at once: each of them costs a read of every local repository. */
const namesMax = 5_000;

/** The answer of an upstream; undefined if it has no such endpoint. */
const answerOf = async (
  requestTable: Table,
  source: RemoteRepository,
  path: string,
  question: JsonObject,
): Promise<JsonObject | undefined> => {
  const table = forFetching(requestTable);
  const pauseKey = upstreamPauseKey(contentIdOf(source));
  const pause = (await table.read([pauseKey])).find(pauseKey);
  return withReserve(async () => {
    const answer = await askUpstream(table, {
      source,
      url: urlBelow(source.remoteRepositoryUrl, `-/npm/v1/security/${path}`),
      content: 'metadata',
      accept: 'application/json',
      sent: Buffer.from(JSON.stringify(question)),
      pause,
      signal: AbortSignal.timeout(answerMilliseconds),
    });
    if (answer.kind !== 'content') return undefined;
    const sent = await readMetadata(answer.response);
    try {
      return parseObject(sent, 'The answer of the upstream');
    } catch (cause) {
      throw new UpstreamError('protocol', answer.response.context, 'sent something else than a JSON object', cause);
    }
  });
};

const feedKey = advisoryFeedKey(npm.name);

export const handler = endpoint(
  checkNpmPackages,
  async (call) => {
    const { params, body, table, loaded } = call;
    const sources = addressedSources(call, npm);
    const read = auditAt(params.path);
    if (!read) throw new ApiError('ROUTE_NOT_FOUND');
    const sent = await buffer(body.stream());
    const { names, about, nothing } = refusing(() => read(parseObject(sent, 'The body')));
    if (names.length > namesMax)
      throw new ApiError(
        'REQUEST_INVALID',
        `An audit may be about ${namesMax} packages at once, and not ${names.length}.`,
      );
    const told = await fetchableNames(table, sources, names);
    const source = sources.all.find(isRemote);
    const ask = async (asked: RemoteRepository): Promise<JsonObject | undefined> => {
      const question = about((name) => told.has(name));
      const isImported = loaded.find(feedKey)?.importedAt !== undefined && params.path === 'advisories/bulk';
      return isImported ? importedAudit(table, question) : answerOf(table, asked, params.path, question);
    };
    const answer = source && told.size > 0 ? await ask(source) : nothing;
    if (!answer) throw new ApiError('ROUTE_NOT_FOUND', 'The upstream of this repository answers no audits.');
    return { kind: 'bytes', mediaType: 'application/json', content: JSON.stringify(answer) };
  },
  { alsoRead: (request) => [...alsoReadSources(request), feedKey] },
);
