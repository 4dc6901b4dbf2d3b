import type { VNode } from 'preact';
import type { getPackage } from '../../../packages/contracts.ts';
import type { Result } from '../api.ts';
import { badge, el, table } from '../elements.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';

/** A version of an upstream that does not pass. */
type Held = Result<typeof getPackage>['heldVersions'][number];

const endText = ({ until }: Held): string => (until ? timeText(until) : words.never);

/** The versions of upstreams that do not pass, with what holds them back; who may decide about them is led there. */
export const HeldBack = ({
  held,
  decideAt,
}: {
  readonly held: readonly Held[];
  /** Where an admin of the workspace decides about a version. */
  readonly decideAt: ((version: string) => string) | undefined;
}): VNode =>
  el(
    'section',
    null,
    el('h2', null, words.held),
    el('p', { class: 'hint' }, words.heldWhy),
    table(
      words.held,
      [words.version, words.repository, words.state, words.why, words.until, ...(decideAt ? [words.decide] : [])],
      held.map((each) => [
        each.version,
        each.repositoryName,
        [badge(each.state), each.isEnforced ? '' : ` (${words.gateObserves})`],
        each.why,
        endText(each),
        ...(decideAt
          ? [el('a', { href: decideAt(each.version), 'aria-label': `${words.decide} ${each.version}` }, words.decide)]
          : []),
      ]),
    ),
  );
