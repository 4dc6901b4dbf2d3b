import type { Table } from '../../table/client.ts';
import type { Key } from '../../table/keys.ts';
import { isCrowded } from '../../table/packages/hanging-counts.ts';
import { upstreamPauseKey } from '../../table/packages/package-keys.ts';
import type { UpstreamPause } from '../../table/packages/upstream-copies.ts';
import { isOpen, noteAnswer, noteSilence, takeProbe } from '../../table/packages/upstream-outages.ts';
import { contentIdOf, type RemoteRepository } from '../../table/repositories/repositories.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import type { Ask, UpstreamResponse } from '../../upstream/upstream-response.ts';
import { countOfRepository, countOfWorkspace, type HangingCount, hangingCount, hostOf } from './hanging.ts';

/** A question for an upstream, and its state in the table as the request has read it. */
export interface GuardedQuestion {
  readonly table: Table;
  readonly source: RemoteRepository;
  readonly pause: UpstreamPause | undefined;
  readonly signal: AbortSignal;
}

interface Circuit extends GuardedQuestion {
  readonly key: Key<UpstreamPause>;
  readonly isProbe: boolean;
}

const isSilence = ({ kind, lateness }: UpstreamError): boolean =>
  kind === 'timeout' || kind === 'unreachable' || lateness === 'slow';

/** The failure of an upstream that is not asked before this time. */
const pauseError = (source: RemoteRepository, pause: UpstreamPause): UpstreamError => {
  const { until: retryAt } = pause;
  const time = new Date(retryAt).toISOString();
  const host = hostOf(source);
  return isOpen(pause)
    ? new UpstreamError(
        'timeout',
        { host, retryAt },
        `did not answer the last requests, and is not asked until ${time}`,
      )
    : new UpstreamError('status', { host, status: 429, retryAt }, `accepts no requests until ${time}`);
};

/** Whether this request alone asks an upstream after its pause. Throws if it must not be asked. */
const probing = async ({ table, source, pause }: GuardedQuestion, key: Key<UpstreamPause>): Promise<boolean> => {
  if (pause && pause.until > Date.now()) throw pauseError(source, pause);
  if (isCrowded(pause)) throw countOfRepository(source).failure();
  if (!pause || !isOpen(pause)) return false;
  const taken = await takeProbe(table, key, pause);
  if (taken?.found && isOpen(taken.found)) throw pauseError(source, taken.found);
  return !taken;
};

const answered = async ({ table, key, isProbe, pause }: Circuit): Promise<void> => {
  if (isProbe || pause?.silences) await table.sideWork.begin(async () => noteAnswer(table, key, isProbe));
};

const failed = async (circuit: Circuit, error: unknown): Promise<void> => {
  if (!(error instanceof UpstreamError)) return;
  const { table, key, isProbe } = circuit;
  const { kind } = error;
  // To find no connection, or to lose it, happens to many questions at the same moment.
  const silence = { isProbe, isSudden: kind === 'unreachable' };
  if (isSilence(error)) await table.sideWork.begin(async () => noteSilence(table, key, silence));
  // What this service ended itself says nothing of the upstream.
  else if (kind !== 'aborted' && kind !== 'crowded') await answered(circuit);
};

/** An answer is one when its body has come, too, and a question hangs as long as its body does. */
const followBody = async (
  circuit: Circuit,
  hanging: HangingCount,
  { method, status, body }: UpstreamResponse & Pick<Ask, 'method'>,
): Promise<void> => {
  // Nobody reads the body of a HEAD.
  if (method === 'HEAD') await hanging.end();
  // After its end, the request goes on before it closes.
  for (const event of ['end', 'error', 'close']) body.once(event, () => void hanging.end());
  if (status !== 200 || method === 'HEAD') return answered(circuit);
  body.once('end', () => void answered(circuit));
  body.once('error', (error) => void failed(circuit, error));
};

/**
 * Asks an upstream, unless its circuit is open or very many questions hang. What it leaves without an answer is counted in the item
 * that holds its pauses, for all processes. An upstream that answers in time costs no call of the table.
 */
export const throughBreaker = async (
  question: GuardedQuestion,
  method: Ask['method'],
  ask: (guard: Pick<Ask, 'signal' | 'onHang'>) => Promise<UpstreamResponse>,
): Promise<UpstreamResponse> => {
  const { table, source } = question;
  const key = upstreamPauseKey(contentIdOf(source));
  const circuit: Circuit = { ...question, key, isProbe: await probing(question, key) };
  const hanging = hangingCount(table, [countOfRepository(source), countOfWorkspace(source)]);
  const { crowd, begin: onHang } = hanging;
  table.sideWork.expect();
  try {
    const response = await ask({ signal: AbortSignal.any([question.signal, crowd]), onHang });
    await followBody(circuit, hanging, { ...response, method });
    return response;
  } catch (error) {
    await hanging.end();
    if (crowd.aborted) throw crowd.reason;
    await failed(circuit, error);
    throw error;
  }
};
