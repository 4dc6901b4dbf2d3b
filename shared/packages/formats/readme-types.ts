/** How a README is written. It is sent as text, so that nobody takes it for a page. */
export const readmeTypes = [
  'text/markdown; charset=utf-8',
  'text/x-rst; charset=utf-8',
  'text/plain; charset=utf-8',
] as const;
export type ReadmeType = (typeof readmeTypes)[number];
