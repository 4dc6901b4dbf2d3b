/** An answer in plain text. */
export const plainAnswer = (content: string) =>
  ({ kind: 'bytes', mediaType: 'text/plain; charset=utf-8', content }) as const;
