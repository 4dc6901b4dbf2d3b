import type { Table } from '../client.ts';
import { heldBy, type Key } from '../keys.ts';
import { pauseExpiryAt, type UpstreamPause } from './upstream-copies.ts';

/** So many questions without an answer, within this time, open the circuit: the upstream is not asked for the time of a pause. */
const silencesMax = 5;
const windowMilliseconds = 30_000;
const pauseMilliseconds = 30_000;

/** Names and connections fail for many at once: of such failures, the last one counts only so long after the first. */
const spreadMilliseconds = 3_000;

/** Whether the circuit is open: the upstream is asked again by one request alone, once the pause is over. */
export const isOpen = (pause: UpstreamPause | undefined): boolean => (pause?.silences ?? 0) >= silencesMax;

/**
 * Takes the turn to ask an upstream after its pause. Undefined means that the caller asks; otherwise somebody else does, or has
 * done so, and the item is as it is now.
 */
export const takeProbe = async (
  table: Table,
  key: Key<UpstreamPause>,
  { until }: UpstreamPause,
): Promise<{ readonly found: UpstreamPause | undefined } | undefined> => {
  const answer = await table.update({
    update: key,
    set: 'SET #until = :until',
    if: '#until = :seen',
    values: { ':until': Date.now() + pauseMilliseconds, ':seen': until },
  });
  return 'before' in answer ? undefined : { found: heldBy(key, answer.refused) };
};

/** A question that the upstream left without an answer. */
interface Silence {
  readonly isProbe: boolean;
  /** Whether no connection was made, or one ended. */
  readonly isSudden: boolean;
}

/** Counts a question without an answer. Returns how many there were before in this window; 0 if it begins one, or does not count. */
const countSilence = async (table: Table, key: Key<UpstreamPause>, now: number, isSudden: boolean): Promise<number> => {
  const values = { ':one': 1, ':begin': now - windowMilliseconds, ':expiresAt': pauseExpiryAt(now) };
  const spread = isSudden ? now - spreadMilliseconds : Number.MAX_SAFE_INTEGER;
  const counted = await table.update({
    update: key,
    set: 'SET #silences = #silences + :one, #expiresAt = :expiresAt',
    if: '#silentSince > :begin AND (#silences < :last OR #silentSince <= :spread) OR #silences >= :max',
    values: { ...values, ':last': silencesMax - 1, ':spread': spread, ':max': silencesMax },
  });
  if ('before' in counted) return heldBy(key, counted.before)?.silences ?? 0;
  if ((heldBy(key, counted.refused)?.silentSince ?? 0) > now - windowMilliseconds) return 0;
  const begun = await table.update({
    update: key,
    set: 'SET #silences = :one, #silentSince = :now, #until = if_not_exists(#until, :zero), #expiresAt = :expiresAt',
    if: 'attribute_not_exists(#silentSince) OR #silentSince <= :begin',
    values: { ...values, ':zero': 0, ':now': now },
  });
  // Of those that meet at the begin of a window, one begins it.
  return 'before' in begun ? 0 : countSilence(table, key, now, isSudden);
};

/** Counts a question that the upstream left without an answer, and opens the circuit with the last one. */
export const noteSilence = async (
  table: Table,
  key: Key<UpstreamPause>,
  { isProbe, isSudden }: Silence,
): Promise<void> => {
  const now = Date.now();
  const silences = await countSilence(table, key, now, isSudden);
  // Who asked before the circuit was opened does not prolong the pause.
  if (!isProbe && silences + 1 !== silencesMax) return;
  await table.update({
    update: key,
    set: 'SET #until = :until',
    if: '#until < :until',
    values: { ':until': now + pauseMilliseconds },
  });
};

/**
 * Notes a pause that an upstream asks for, unless it has asked for a longer one. That it asks is an answer, and the pause of an open
 * circuit gives way to it.
 */
export const notePause = async (table: Table, key: Key<UpstreamPause>, until: number): Promise<void> => {
  await table.update({
    update: key,
    set: 'SET #until = :until, #expiresAt = :expiresAt REMOVE #silences, #silentSince',
    if: 'NOT #until >= :until OR #silences >= :max',
    values: { ':until': until, ':expiresAt': pauseExpiryAt(until), ':max': silencesMax },
  });
};

/** Forgets the questions without an answer after one with an answer. Only a probe closes the circuit. */
export const noteAnswer = async (table: Table, key: Key<UpstreamPause>, isProbe: boolean): Promise<void> => {
  await table.update({
    update: key,
    set: isProbe ? 'SET #until = :zero REMOVE #silences, #silentSince' : 'REMOVE #silences, #silentSince',
    if: isProbe ? '#silences >= :max' : '#silences < :max',
    values: { ':max': silencesMax, ...(isProbe && { ':zero': 0 }) },
  });
};
