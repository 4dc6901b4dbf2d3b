import { downloadLogsOf } from '../../shared/config.ts';
import { invalid } from '../../shared/errors.ts';
import { sealCursor, unsealCursor } from '../../shared/http/cursors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { timesInQuery } from '../../shared/http/times.ts';
import { type FoundLine, type LogSearch, type SearchPosition, searchLogs } from '../../shared/log-search.ts';
import { servedKeyOf } from '../../shared/packages/sources/identifiers.ts';
import { noVersion, spelledVersion } from '../../shared/packages/sources/name-rules.ts';
import type { Table } from '../../shared/table/client.ts';
import { usernameOfIdKey } from '../../shared/table/keys.ts';
import { definitionOf } from '../package-definitions.ts';
import { listDownloads } from './contracts.ts';
import type { downloadPageSchema, downloadsQuery } from './download-schemas.ts';

type Query = Infer<typeof downloadsQuery>;
type Download = Infer<typeof downloadPageSchema>['downloads'][number];

const limitWhenAbsent = 100;

const daysWhenAbsent = 30;

const dayMilliseconds = 24 * 3_600_000;

/** What the log says of a request that gave a file. */
interface ServedLine {
  readonly requestId: string;
  readonly path: string;
  readonly principalId?: string;
  readonly tokenId?: string;
  readonly table: { readonly served: { readonly address: string } };
}

/** Where a page starts. All pages of a list end at the time at which the first one was asked for. */
interface Start {
  readonly until: number;
  readonly position: SearchPosition;
}

const downloadOf = ({ timestamp, message }: FoundLine): Download => {
  const { path, principalId = null, tokenId = null, requestId, table } = JSON.parse(message) as ServedLine;
  const downloadedAt = new Date(timestamp).toISOString();
  return { downloadedAt, path, principalId, username: null, tokenId, sourceAddress: table.served.address, requestId };
};

/** The downloads with the names of those users who still exist. */
const withNames = async (table: Table, downloads: readonly Download[]): Promise<Download[]> => {
  const ids = [...new Set(downloads.flatMap(({ principalId }) => principalId ?? []))];
  const found = await table.read(ids.map(usernameOfIdKey));
  return downloads.map((each) => {
    const username = each.principalId === null ? undefined : found.find(usernameOfIdKey(each.principalId))?.username;
    return { ...each, username: username ?? null };
  });
};

const withoutFiles = (version: string) => ({
  pointer: '',
  rule: 'version',
  message: `version is '${version}', which stands for others and has no file itself: ask for each of those that the list of versions has.`,
});

/** What the log may call a version: as it was sent, because not every index spells versions as its type does, or as the type does. */
const servedKeys = (
  workspaceId: string,
  { packageType, packageName, version: sent }: Pick<Query, 'packageType' | 'packageName' | 'version'>,
): readonly string[] => {
  const { spelling } = definitionOf(packageType);
  const version = spelledVersion(spelling, sent);
  if (version === undefined) throw invalid([noVersion(packageType, { pointer: '', field: 'version', text: sent })]);
  if (spelling.versions?.hasFiles?.(version) === false) throw invalid([withoutFiles(sent)]);
  const names = [packageName, spelling.normalize(packageName)];
  const keys = names.flatMap((name) =>
    [sent, version].map((each) => servedKeyOf(workspaceId, packageType, name, each)),
  );
  return [...new Set(keys)];
};

const membersOf = (key: string): readonly string[] =>
  ['version', 'tag'].map((member) => `$.table.served.${member} = "${key}"`);

export const handler = endpoint(listDownloads, async ({ query, caller, workspace: { workspaceId }, table }) => {
  const { packageType, since, until, limit = limitWhenAbsent, cursor } = query;
  const now = Date.now();
  const asked = timesInQuery(query, ['since', 'until']);
  const keys = servedKeys(workspaceId, query);
  const scope = [listDownloads.id, ...keys, since, until];
  const first: Start = { until: asked.until ?? now, position: { group: 0 } };
  const start = cursor === undefined ? first : (JSON.parse(unsealCursor(cursor, caller, scope)) as Start);
  const search: LogSearch = {
    groups: downloadLogsOf(packageType),
    pattern: `{ (${keys.flatMap(membersOf).join(' || ')}) && $.outcome = "OK" }`,
    since: asked.since ?? now - daysWhenAbsent * dayMilliseconds,
    until: start.until,
  };
  const { lines, next } = await searchLogs(search, start.position, limit, table.signal);
  return {
    downloads: await withNames(table, lines.map(downloadOf)),
    nextCursor: next ? sealCursor(JSON.stringify({ until: start.until, position: next }), caller, scope) : null,
  };
});
