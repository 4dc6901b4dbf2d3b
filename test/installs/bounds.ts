import { median } from '../bench/report.ts';
import type { Client } from './client.ts';
import type { ServedRound } from './measuring.ts';
import { type Installation, succeeded } from './running.ts';
import type { Measured } from './table.ts';

/** A figure of Stockroom that may be at most some times another one. */
interface Bound {
  readonly what: string;
  readonly of: string;
  readonly times: number;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

type Which = 'cold' | 'warm';

const secondsOf = (installations: readonly Installation[]): number[] =>
  succeeded(installations).map(({ seconds }) => seconds);

const timesOf = (rounds: readonly ServedRound[], which: Which): number[] =>
  secondsOf(rounds.map((round) => round[which]));

const processorTimesOf = (rounds: readonly ServedRound[], which: Which): number[] =>
  rounds
    .map((round) => round[which])
    .filter(({ failure }) => failure === undefined)
    .map(({ processorSeconds }) => processorSeconds);

/** How slow and how dear an installation may be in comparison with the peer of its client. */
const peerBounds: Readonly<Record<NonNullable<Client['peer']>, Partial<Record<`${Which} time` | 'cold CPU', number>>>> =
  {
    Verdaccio: { 'cold time': 1.2, 'cold CPU': 1.5, 'warm time': 1 },
    proxpi: { 'cold time': 1.2, 'warm time': 1.2 },
  };

/** How slow a warm installation may be in comparison with a direct one, for the clients without a peer. */
const directTimes = 1.2;

const boundsOf = ({ client, direct, stockroom, peer }: Measured): Bound[] => {
  if (client.peer === undefined) {
    const [ours, theirs] = [timesOf(stockroom, 'warm'), secondsOf(direct)];
    return [{ what: 'warm time', of: 'a direct installation', times: directTimes, ours, theirs }];
  }
  return Object.entries(peerBounds[client.peer]).map(([what, times]) => {
    const which = what.startsWith('cold') ? 'cold' : 'warm';
    const figures = what.endsWith('CPU') ? processorTimesOf : timesOf;
    const [ours, theirs] = [figures(stockroom, which), figures(peer, which)];
    return { what, of: client.peer ?? '', times, ours, theirs };
  });
};

/** What becomes of the bounds of one client: a sentence for each one that was measured, and whether it holds. */
export const judge = (measured: Measured): { readonly sentence: string; readonly holds: boolean }[] =>
  boundsOf(measured)
    .filter(({ ours, theirs }) => ours.length > 0 && theirs.length > 0)
    .map(({ what, of, times, ours, theirs }) => {
      const ratio = median([...ours]) / median([...theirs]);
      const holds = ratio <= times;
      const verdict = holds ? 'holds' : 'DOES NOT HOLD';
      const sentence = `${measured.client.name}: the ${what} is ${ratio.toFixed(2)} × that of ${of}; at most ${times.toFixed(1)} ×: ${verdict}.`;
      return { sentence, holds };
    });
