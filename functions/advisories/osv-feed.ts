import { advisoriesUrlVariable, config, variable } from '../../shared/config.ts';
import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { processPool } from '../../shared/packages/upstream/process-pool.ts';
import { urlBelow } from '../../shared/packages/upstream/url-below.ts';
import { type StagedUpload, stageFile } from '../../shared/store/received-file.ts';
import { limitsWithin } from '../../shared/upstream/limits.ts';
import { defaultMetadataLimits, readMetadata } from '../../shared/upstream/read-metadata.ts';
import { UpstreamClient } from '../../shared/upstream/upstream-client.ts';
import { UpstreamError } from '../../shared/upstream/upstream-error.ts';
import type { Ask, UpstreamResponse } from '../../shared/upstream/upstream-response.ts';
import { archiveBounds, isEntryId } from './archive.ts';

/** An entry that changed, in the list of an ecosystem. */
export interface ListedEntry {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly modified: number;
}

const answerMilliseconds = 20_000;

/** A list with more entries is not read on: an archive brings them all. */
const listedMax = 5_000;

const entryLimits = { ...defaultMetadataLimits, bytesMax: archiveBounds.entryBytes };

const lineLengthMax = 1_000;

/** The lines of a text of any length. */
async function* linesOf(body: AsyncIterable<Buffer>, url: string): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of body) {
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lineLengthMax) throw malformed(`${url} has a line of more than ${lineLengthMax} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const listedIn = (line: string, url: string): ListedEntry => {
  const [time = '', id = ''] = line.trim().split(',');
  const modified = Date.parse(time);
  if (Number.isNaN(modified) || !isEntryId(id))
    throw malformed(`${url} has the line '${line.slice(0, 100)}', which is no time and no ID.`);
  return { id, modified };
};

/**
 * What osv.dev has of an ecosystem (google.github.io/osv.dev/data): `all.zip`, each entry in `{id}.json`, and in `modified_id.csv` a line
 * with time and ID for each, the latest change first.
 */
export class OsvFeed {
  private readonly client: UpstreamClient;
  private readonly url: string;
  private readonly signal: AbortSignal;

  constructor(ecosystem: string, signal: AbortSignal) {
    this.url = urlBelow(variable(advisoriesUrlVariable) ?? '', encodeURIComponent(ecosystem));
    this.signal = signal;
    const limits = limitsWithin(answerMilliseconds);
    this.client = new UpstreamClient({ url: this.url, pool: processPool(), version: config.version, limits });
  }

  /** What changed after a time, the latest first; undefined if that is more than is worth to be asked one by one. */
  async changedSince(since: number): Promise<readonly ListedEntry[] | undefined> {
    const { body } = await this.get('modified_id.csv', 'file');
    const found: ListedEntry[] = [];
    try {
      for await (const line of linesOf(body as AsyncIterable<Buffer>, this.url)) {
        const entry = listedIn(line, this.url);
        if (entry.modified <= since) break;
        found.push(entry);
        if (found.length > listedMax) return undefined;
      }
    } finally {
      body.destroy();
    }
    return found;
  }

  /** The JSON of an entry. */
  async entry(id: string): Promise<Buffer> {
    return readMetadata(await this.get(`${id}.json`, 'metadata'), entryLimits);
  }

  /** Puts the archive of all entries into the staging area. */
  async archive(): Promise<StagedUpload> {
    const { body } = await this.get('all.zip', 'file');
    return stageFile(body, this.signal, ['sha256']);
  }

  private async get(file: string, content: Ask['content']): Promise<UpstreamResponse> {
    const response = await this.client.request(urlBelow(this.url, file), { content, signal: this.signal });
    const { status, body, context } = response;
    if (status === 200) return response;
    body.destroy();
    throw new UpstreamError('status', context, `answered ${status} for ${file}`);
  }
}
