import { hash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import { isBlocked, type Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { packageNameAt, packagesList } from '../../shared/table/packages/package-keys.ts';
import { queryPages } from '../../shared/table/query-pages.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import type { PageForm } from './page-forms.ts';
import { htmlPage } from './project-pages.ts';

/** The maximum number of names of all sources together, which makes a page of some 30 MB. */
const namesMax = 400_000;

/** The names of all projects of the sources: those that local ones store, and those that remote ones have in their caches and may answer for. */
export const projectNames = async (
  table: Table,
  { all, upstreamNames }: Sources,
  namesAtMost = namesMax,
): Promise<readonly string[]> => {
  const budget = { left: namesAtMost };
  const lists = await Promise.all(
    all.map(async (source) => {
      const names = await namesIn(table, contentIdOf(source), budget);
      const shown = names.filter((name) => readable(source, { kind: 'package', name }, name));
      return isRemote(source) ? shown.filter((name) => !isBlocked(name, upstreamNames)) : shown;
    }),
  );
  return [...new Set(lists.flat())].toSorted();
};

/** Reads the names of a source. All sources have one budget, which empty names use up, too, because each is read. */
const namesIn = async (table: Table, contentId: string, budget: { left: number }): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const items of queryPages(table, packagesList(contentId))) {
    budget.left -= items.length;
    if (budget.left < 0) throw tooMany();
    for (const { position, item } of items) if (!item.isEmpty) names.push(packageNameAt(position));
  }
  return names;
};

const tooMany = (): ApiError =>
  new ApiError(
    'LIST_TOO_LONG',
    'The repository has too many projects for one page. List them with GET /1/workspaces/{workspace}/repositories/{repository}/packages.',
  );

/** A text that changes whenever the names change. */
export const revisionOf = (names: readonly string[]): string => hash('sha256', names.join(), 'base64url');

/** The page of all projects. Its links are relative, because pages of projects are below its address. */
export const renderRootPage = (names: readonly string[], form: PageForm): Buffer => {
  if (form !== 'json')
    return htmlPage(
      'Simple index',
      ['<meta name="pypi:repository-version" content="1.3">\n'],
      names.map((name) => `<a href="${name}/">${name}</a><br>\n`),
    );
  return Buffer.from(JSON.stringify({ meta: { 'api-version': '1.3' }, projects: names.map((name) => ({ name })) }));
};
