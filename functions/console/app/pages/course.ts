import type { VNode } from 'preact';
import type { listWorkspaceRecords } from '../../../audit/contracts.ts';
import { getPage, part, type Result } from '../api.ts';
import { el, loadedView, useLoaded } from '../elements.ts';
import { dayText, sizeText } from '../texts.ts';
import { words } from '../words.ts';

type Change = Result<typeof listWorkspaceRecords>[number];

const days = 30;
const dayMilliseconds = 86_400_000;
/** The most records that one request brings. */
const recordsMax = 1000;
const barWidth = 20;
const barHeight = 120;

/** The bytes of all files that a part of a record names, however deep. */
const bytesIn = (held: unknown): number => {
  if (Array.isArray(held)) return held.reduce((sum: number, each) => sum + bytesIn(each), 0);
  if (typeof held !== 'object' || held === null) return 0;
  const { size, files, versions } = held as Readonly<Record<string, unknown>>;
  return (typeof size === 'number' ? size : 0) + bytesIn(files) + bytesIn(versions);
};

/** What came and what went on a day, in bytes. */
export interface Day {
  readonly date: string;
  readonly came: number;
  readonly went: number;
}

/** The days until one, the oldest first, with what records say of them. Times are UTC, as in the records. */
export const daysOf = (
  changes: readonly Pick<Change, 'recordedAt' | 'before' | 'after'>[],
  last: number,
): readonly Day[] => {
  const byDate = Map.groupBy(changes, ({ recordedAt }) => recordedAt.slice(0, 10));
  return Array.from({ length: days }, (_, index) => {
    const date = new Date(last - (days - 1 - index) * dayMilliseconds).toISOString().slice(0, 10);
    const found = byDate.get(date) ?? [];
    return {
      date,
      came: found.reduce((sum, { after }) => sum + bytesIn(after), 0),
      went: found.reduce((sum, { before }) => sum + bytesIn(before), 0),
    };
  });
};

/** Reads what was published and deleted in these days: two requests, whatever the workspace holds. */
const readDays = async (workspace: string) => {
  const from = new Date(Date.now() - days * dayMilliseconds).toISOString();
  const pages = await Promise.all(
    (['package.published', 'package.deleted'] as const).map(async (action) => {
      const query = new URLSearchParams({ action, from, limit: `${recordsMax}` });
      return getPage<typeof listWorkspaceRecords>(`/1/workspaces/${part(workspace)}/audit?${query.toString()}`);
    }),
  );
  return {
    found: daysOf(
      pages.flatMap(({ items }) => items),
      Date.now(),
    ),
    isPart: pages.some(({ next }) => next !== undefined),
  };
};

const bar = (at: number, { date, came, went }: Day, most: number): VNode => {
  const height = (bytes: number): number => Math.round((bytes / most) * barHeight);
  const x = at * barWidth + 2;
  const title = el('title', null, `${dayText(date)}: +${sizeText(came)}, −${sizeText(went)}`);
  return el(
    'g',
    { key: date },
    title,
    el('rect', { class: 'came', x, y: barHeight - height(came), width: barWidth - 4, height: height(came) }),
    el('rect', { class: 'went', x, y: barHeight, width: barWidth - 4, height: height(went) }),
  );
};

const picture = (found: readonly Day[]): VNode => {
  const [came, went] = [found.reduce((sum, day) => sum + day.came, 0), found.reduce((sum, day) => sum + day.went, 0)];
  const most = Math.max(1, ...found.flatMap((day) => [day.came, day.went]));
  const label = words.courseText(sizeText(came), sizeText(went));
  return el(
    'figure',
    { class: 'course' },
    el(
      'svg',
      { viewBox: `0 0 ${days * barWidth} ${2 * barHeight}`, role: 'img', 'aria-label': label },
      el('line', { x1: 0, x2: days * barWidth, y1: barHeight, y2: barHeight }),
      found.map((day, at) => bar(at, day, most)),
    ),
    el('figcaption', null, label),
  );
};

/** What was published and deleted in the last month, day by day. Only admins may read the records of it. */
export const Course = ({ workspace }: { readonly workspace: string }): VNode => {
  const loaded = useLoaded(() => readDays(workspace), [workspace]);
  return el(
    'section',
    null,
    el('h2', null, words.course),
    loadedView(loaded, ({ found, isPart }) => [
      picture(found),
      isPart && el('p', { class: 'hint' }, words.courseIsPart),
    ]),
  );
};
