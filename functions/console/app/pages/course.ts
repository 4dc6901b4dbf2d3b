import type { VNode } from 'preact';
import type { listWorkspaceRecords } from '../../../audit/contracts.ts';
import { getPage, part } from '../api.ts';
import { type Day, dayMilliseconds, days, daysOf } from '../days.ts';
import { el, loadedView, useLoaded } from '../elements.ts';
import { dayText, sizeText } from '../texts.ts';
import { words } from '../words.ts';

/** The most records that one request brings. */
const recordsMax = 1000;
const barWidth = 20;
const pictureHeight = 120;

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

/** The most that came and that went on a day: the picture has room for both, and no more. */
interface Most {
  readonly came: number;
  readonly went: number;
}

const heightOf = (bytes: number, { came, went }: Most): number => Math.round((bytes / (came + went)) * pictureHeight);

const bar = (at: number, { date, came, went }: Day, most: Most): VNode => {
  const [line, up, down] = [most.came, came, went].map((bytes) => heightOf(bytes, most)) as [number, number, number];
  const x = at * barWidth + 2;
  const title = el('title', null, `${dayText(date)}: +${sizeText(came)}, −${sizeText(went)}`);
  return el(
    'g',
    { key: date },
    title,
    el('rect', { class: 'came', x, y: line - up, width: barWidth - 4, height: up }),
    el('rect', { class: 'went', x, y: line, width: barWidth - 4, height: down }),
  );
};

const picture = (found: readonly Day[]): VNode => {
  const [came, went] = [found.reduce((sum, day) => sum + day.came, 0), found.reduce((sum, day) => sum + day.went, 0)];
  const most = { came: Math.max(1, ...found.map((day) => day.came)), went: Math.max(...found.map((day) => day.went)) };
  const line = heightOf(most.came, most);
  const label = words.courseText(sizeText(came), sizeText(went));
  return el(
    'figure',
    { class: 'course' },
    el(
      'svg',
      {
        viewBox: `0 -1 ${days * barWidth} ${pictureHeight + 2}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': label,
      },
      el('line', { x1: 0, x2: days * barWidth, y1: line, y2: line }),
      found.map((day, at) => bar(at, day, most)),
    ),
    el(
      'p',
      { class: 'ends' },
      [found.at(0), found.at(-1)].map((day) => day && el('span', null, dayText(day.date))),
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
