import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { holdBars } from './markdown-tables.ts';

/** The tree of a text in Markdown. Of a few kilobytes that somebody chose for it, the parser makes minutes. */
export const parse = (text: string): Root => fromMarkdown(holdBars(text));

/** Answers texts with their trees, as a worker of the page. */
export const answerTexts = (): void => {
  addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(parse(data)));
};
