import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { config } from './config.ts';
import { ApiError } from './errors.ts';

/** The entries that installations of this service add to the header Via. Those of other proxies are not passed on. */
const markPattern = /^1\.1 stockroom-[0-9a-f]{16}$/;

/** More services than that in a row pass nothing on but the last ones. */
const marksMax = 20;

const received = new AsyncLocalStorage<readonly string[]>();

let own: string | undefined;

/** The mark of this installation (RFC 9110 section 7.6.3). It is a hash, so that upstreams learn no name of a resource. */
const ownMark = (): string => {
  own ??= `1.1 stockroom-${hash('sha256', config.installation).slice(0, 16)}`;
  return own;
};

const marksIn = (via: readonly string[]): readonly string[] =>
  via
    .flatMap((value) => value.split(','))
    .map((entry) => entry.trim())
    .filter((entry) => markPattern.test(entry));

/** Refuses a request that this installation has sent itself, through whichever other services. Returns the marks of those. */
export const refuseLoop = (via: readonly string[]): readonly string[] => {
  const marks = marksIn(via);
  if (marks.length > 0 && marks.includes(ownMark())) throw new ApiError('REQUEST_LOOP');
  return marks;
};

/** Does the work of a request that came with these marks. */
export const passingOn = async <T>(marks: readonly string[], work: () => Promise<T>): Promise<T> =>
  received.run(marks, work);

/** The marks with which the current request came. */
export const receivedMarks = (): readonly string[] => received.getStore() ?? [];

/** The header Via of a request to an upstream: the services that the current request has come through, and this one. */
export const viaHeader = (): string => [...receivedMarks().slice(-marksMax), ownMark()].join(', ');
