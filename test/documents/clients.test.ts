import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { packageTypes } from '../../shared/package-types.ts';

const read = (page: string): string => readFileSync(page, 'utf8');
const shared = 'docs/clients/all-clients.md';
const pages = globSync('docs/clients/*.md');
const ofTypes = pages.filter((page) => page !== shared);

/** Sentences of the text between the examples, whatever their line breaks; short ones say nothing that could be said once. */
const sentencesOf = (page: string): string[] =>
  read(page)
    .replaceAll(/^```.*?^```$/gms, '')
    .split(/\n\s*\n|\n- |(?<=[.:])\s/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter(({ length }) => length > 60);

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string): string[] =>
  Array.from(read(page).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => anchorOf(heading));

describe('The pages about clients', () => {
  it('are one for each package type, and one for what all clients share, to which the others lead', () => {
    expect(ofTypes.map((page) => basename(page, '.md')).toSorted()).toEqual(packageTypes.toSorted());
    for (const page of ofTypes) expect([page, read(page)]).toEqual([page, expect.stringContaining('(all-clients.md)')]);
    expect(read('README.md')).toContain(`(${shared})`);
  });

  it('are in the table of the README, in a row for each type', () => {
    const rows = Array.from(
      read('README.md').matchAll(/^\| `(\w+)` \| \[[^\]]+\]\(docs\/clients\/(\w+)\.md\)/gm),
      ([, type, page]) => `${type} ${page}`,
    );
    expect(rows.toSorted()).toEqual(packageTypes.map((type) => `${type} ${type}`).toSorted());
  });

  it('say nothing twice', () => {
    const found = Map.groupBy(
      pages.flatMap((page) => [...new Set(sentencesOf(page))].map((sentence) => ({ page: basename(page), sentence }))),
      ({ sentence }) => sentence,
    );
    expect(found.size).toBeGreaterThan(200);
    const linking = /all-clients\.md/;
    const again = [...found].filter(([sentence, where]) => where.length > 1 && !linking.test(sentence));
    expect(again.map(([sentence, where]) => `${where.map(({ page }) => page).join()}: ${sentence}`)).toEqual([]);
  });

  it.each(pages)('%s leads to pages and headings that are there', (page) => {
    for (const [, path = '', anchor] of read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      const target = path === '' ? page : join(dirname(page), path);
      expect([target, existsSync(target)]).toEqual([target, true]);
      if (anchor !== undefined) expect(anchorsOf(target)).toContain(anchor);
    }
  });
});
