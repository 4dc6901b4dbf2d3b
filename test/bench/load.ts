import autocannon from 'autocannon';
import { median, percentile } from './report.ts';

const connections = 8;

/** One slice of load. */
export interface Slice {
  readonly requestsPerSecond: number;
  readonly milliseconds: readonly number[];
}

export interface LoadOptions extends Pick<autocannon.Options, 'headers' | 'setupClient' | 'requests' | 'amount'> {
  readonly url: string;
  readonly seconds?: number;
  /** Whether each answer must be 304, and not one with content. */
  readonly isUnchanged?: boolean;
}

/** Eight clients; each sends its next request after the answer to the last one. Every answer must be as expected. */
export const load = async ({ seconds = 2, isUnchanged = false, ...options }: LoadOptions): Promise<Slice> => {
  const milliseconds: number[] = [];
  const startedAt = performance.now();
  let lastAt = startedAt;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon({ ...options, connections, duration: seconds, timeout: 30 }, (error, done) =>
      error ? reject(error as Error) : resolve(done),
    );
    instance.on('response', (_client, _status, _bytes, took) => {
      milliseconds.push(took);
      lastAt = performance.now();
    });
  });
  const { errors, timeouts } = result;
  const others = milliseconds.length - result[isUnchanged ? '3xx' : '2xx'];
  if (errors + others + timeouts > 0 || milliseconds.length === 0)
    throw new Error(`${options.url}: ${milliseconds.length} answers, ${others} refused, ${errors} failed.`);
  // With an amount instead of a duration, autocannon ends at a whole second and rounds its own figures to it.
  const took = options.amount ? (lastAt - startedAt) / 1000 : result.duration;
  return { requestsPerSecond: milliseconds.length / took, milliseconds };
};

/** The 99th percentile over all slices. */
export const p99 = (slices: readonly Slice[]): number =>
  percentile(
    slices.flatMap(({ milliseconds }) => milliseconds),
    0.99,
  );

/** The median of the requests per second. */
export const rate = (slices: readonly Slice[]): number =>
  median(slices.map(({ requestsPerSecond }) => requestsPerSecond));
