import type { RequestListener } from 'node:http';
import type { Contract } from '../../../shared/http/contract.ts';
import { itemBytesMax } from '../../../shared/table/packages/blobs.ts';
import { randomText } from '../../harness/bytes.ts';
import type { Request } from '../../harness/endpoint-facts.ts';
import type { Fixture } from '../../harness/fixture.ts';
import type { Service } from '../../harness/service.ts';
import { refusing, type Upstream } from '../../harness/upstream.ts';
import type { Named } from '../../harness/world.ts';

/** Requests, each to an endpoint. */
export type Requests = readonly (readonly [Contract, Request])[];

/** What a scenario works with: the upstream answers nobody else meanwhile. */
export interface Setting {
  readonly service: Service;
  readonly fixture: Fixture;
  readonly upstream: Upstream;
}

/** The files of an upstream: one that is small, one that is large, one whose transfer breaks off, one that comes slowly. */
export const fileWords = ['small', 'large', 'broken', 'slow'] as const;
type FileWord = (typeof fileWords)[number];

/** Makes a file or a document longer than what an item of the table keeps of it, compressed as it may be. */
export const longText = randomText(4 * itemBytesMax);

/** A file that comes slowly. */
export const slowContent = `slow${longText}`;

/** The contents of these files, where an index has their hashes. */
export const contentsOf = (large: Uint8Array): Readonly<Record<FileWord, string | Uint8Array>> => ({
  small: 'small',
  large,
  broken: '',
  slow: slowContent,
});

/** How files of a package type are fetched. The large file is needed where an index has its hash. */
export interface Fetching {
  readonly contract: Contract;
  /** The bytes with which a file begins, where no index promises a hash. */
  readonly beginning?: Buffer;
  /** The URL of the remote repository; by default, that of the upstream. */
  readonly urlOf?: (upstreamUrl: string) => string;
  readonly paramsOf: (file: FileWord, large: Uint8Array) => Readonly<Record<string, string>>;
  /** The answers of an upstream that answers files in this way; by default, it is asked for nothing else. */
  readonly answering?: (file: RequestListener, large: Uint8Array, upstreamUrl: string) => RequestListener;
}

/** What clients of a package type do that uses rights which the valid requests of its endpoints leave unused. */
export interface RightsScenario {
  /** Requests about a package whose index has outgrown its snapshot twice: the second compaction reads the first, and removes changes. */
  readonly manyVersions?: (fixture: Fixture) => Promise<Requests>;
  readonly fetching: Fetching;
  /** Other endpoints that fetch files. */
  readonly otherFetchings?: readonly Fetching[];
  /** What is asked of the remote repository once its files were fetched by the first way. */
  readonly afterFetching?: (setting: Setting, remote: Named) => Promise<void>;
  /** Reads what an upstream needs more time for than a request has. */
  readonly slowRead?: (setting: Setting) => Promise<void>;
  /** Whatever else there is. */
  readonly others?: (setting: Setting) => Promise<void>;
}

/** Longer than a function waits for an upstream, long enough for a busy machine, and short enough to wait for. */
export const answerMilliseconds = 8_000;
export const slowMilliseconds = 1.1 * answerMilliseconds;

/** An upstream that gives no answer, which is counted, and then one that asks for a pause. */
export const duringOutages = async ({ upstream }: Setting, work: () => Promise<unknown>): Promise<void> => {
  for (const outage of [hangingUp, refusing(429)]) {
    upstream.answer = outage;
    await work();
  }
};
const hangingUp: RequestListener = (request) => void request.destroy();

/** Asks again as long as it is told to come back; it is told so at least once. */
export const untilAnswered = async (read: () => Promise<{ readonly status: number }>): Promise<void> => {
  const statuses = [(await read()).status];
  while (statuses.at(-1) === 503) statuses.push((await read()).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([503, 200]);
};

/** Asks again as long as an upstream is still sending, until the answer is where a large document is. */
export const untilRedirected = async (
  { service: { client } }: Setting,
  contract: Contract,
  request: Request & { readonly as: string },
): Promise<void> => {
  let location = '';
  for (let wait = 0; location === '' || location.includes('wait='); wait += 1) {
    const reply = await client.attempt(contract, { ...request, query: wait === 0 ? {} : { wait } });
    expect(reply.status).toBe(302);
    location = String(reply.headers.location);
  }
};

/** The place of a repository in the workspace of the fixture. */
export const placeIn = ({ workspace }: Fixture, { id }: Pick<Named, 'id'>) => ({
  workspace: workspace.id,
  repository: id,
});
