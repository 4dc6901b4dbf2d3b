import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { refusing } from '../../shared/packages/formats/format-refusals.ts';
import { type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { fetchableNames } from '../../shared/packages/serve/upstream-search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import { auditUpstream } from '../../shared/packages/upstream/upstream-audit.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import type { Table } from '../../shared/table/client.ts';
import { advisoryFeedKey } from '../../shared/table/repositories/advisory-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { auditAt } from './audits.ts';
import { checkNpmPackages } from './contracts.ts';
import { importedAudit } from './imported-audit.ts';
import { npm } from './type.ts';

/** More names are not asked about at once: each of them costs a read of every local repository. */
const namesMax = 5_000;

/** The answer of an upstream; undefined if it has no such endpoint. */
const answerOf = async (
  table: Table,
  source: RemoteRepository,
  path: string,
  question: JsonObject,
): Promise<JsonObject | undefined> =>
  auditUpstream(table, source, async (ask) =>
    ask(urlBelow(source.remoteRepositoryUrl, `-/npm/v1/security/${path}`), {
      bytes: Buffer.from(JSON.stringify(question)),
      mediaType: 'application/json',
    }),
  );

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
    const source = sources.all.find(isRemote);
    const told = source ? await fetchableNames(table, sources, names) : new Set<string>();
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
