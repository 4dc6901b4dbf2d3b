import type { Paragraph, PhrasingContent } from 'mdast';

type Cell = readonly PhrasingContent[];
type Row = readonly Cell[];

/** A table, and the lines of its paragraph above it. */
export interface MarkdownTable {
  readonly above: readonly PhrasingContent[];
  readonly head: Row;
  readonly rows: readonly Row[];
}

/** Stands for a bar that ends no cell while a text is parsed. No text of people has this character. */
const heldBar = '\uE000';

/** Keeps the bars that a backslash escapes from ending cells. */
export const holdBars = (text: string): string => text.replaceAll('\\|', heldBar);
/** The text as it was. */
export const freeBars = (text: string): string => text.replaceAll(heldBar, '\\|');
/** The text as it is shown in a table, or where a backslash escapes. */
export const plainBars = (text: string): string => text.replaceAll(heldBar, '|');

const isBlank = (cell: Cell | undefined): boolean =>
  cell?.every((node) => node.type === 'text' && node.value.trim() === '') === true;

/** A row without what stands before its first bar and behind its last one, if that is nothing. */
const trimmed = (row: Row): Row => row.slice(isBlank(row[0]) ? 1 : 0, isBlank(row.at(-1)) ? -1 : undefined);

/** The lines of a paragraph, cut at their bars. */
const linesOf = ({ children }: Paragraph): Row[] => {
  const rows: PhrasingContent[][][] = [[[]]];
  for (const node of children) {
    const pieces = node.type === 'text' ? node.value.split(/([\n|])/) : [node];
    for (const piece of pieces) {
      if (piece === '\n') rows.push([[]]);
      else if (piece === '|') rows.at(-1)?.push([]);
      else
        rows
          .at(-1)
          ?.at(-1)
          ?.push(typeof piece === 'string' ? { type: 'text', value: piece } : piece);
    }
  }
  return rows;
};

const isDelimiter = (row: Row): boolean =>
  row.length > 1 &&
  trimmed(row).every((cell) => {
    const text = cell.map((node) => (node.type === 'text' ? node.value : '?')).join('');
    return /^\s*:?-+:?\s*$/.test(text);
  });

const bar: readonly PhrasingContent[] = [{ type: 'text', value: '|' }];
const lineEnd: PhrasingContent = { type: 'text', value: '\n' };

/** A line as it was before it was cut. */
const textOf = (row: Row): PhrasingContent[] => row.flatMap((cell, index) => (index > 0 ? bar.concat(cell) : cell));

/** The table that a paragraph is, or ends with, by the extension of GitHub (github.github.com/gfm, section 4.10); undefined if there is none. */
export const tableIn = (paragraph: Paragraph): MarkdownTable | undefined => {
  const lines = linesOf(paragraph);
  const at = lines.findIndex(isDelimiter);
  const head = trimmed(lines[at - 1] ?? []);
  if (at < 1 || head.length !== trimmed(lines[at] ?? []).length) return undefined;
  const above = lines.slice(0, at - 1).flatMap((row) => textOf(row).concat(lineEnd));
  return { above, head, rows: lines.slice(at + 1).map((row) => trimmed(row).slice(0, head.length)) };
};
