import { parse } from './markdown.ts';

/** Answers texts with their trees, as a worker of the page. */
export const answerTexts = (): void => {
  addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(parse(data)));
};
