import { sampleOf, today } from '../harness/sampling.ts';
import type { contentOf } from './contents.ts';

/** A document or a file of an upstream, and what may be in its place. */
export interface UpstreamContent {
  readonly type: Exclude<keyof typeof contentOf, 'universal'>;
  readonly path: string;
  /** The path at the upstream; by default the same. */
  readonly at?: string;
  readonly good: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** Other documents that the upstream serves all the time, by their paths. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Pages of this document alone that are none, beside those of each portal. */
  readonly others?: Readonly<Record<string, Page>>;
}

/** A page with the headers of its answer. */
export type Page = readonly [content: string | Uint8Array, headers?: Readonly<Record<string, string>>];

export const html = { 'Content-Type': 'text/html; charset=utf-8' };
/** The pages that stand in place of any content. */
export const portals: Readonly<Record<string, Page>> = {
  'the page of a portal': [
    '<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in</h1><form action="/login"></form><a href="/client-1.0.zip">Client</a></body></html>',
    html,
  ],
  'the page of a portal without a media type': [
    '\n<!-- (c) Corp --> <HTML lang="en"><body>Maintenance until 0123456789abcdef0123456789abcdef01234567\nv1.0.0\n</body></HTML>',
  ],
  'an error in JSON': ['{"error":"maintenance"}', { 'Content-Type': 'application/json' }],
};

/** A go.mod has no form of its own. */
const isPage = ({ good }: UpstreamContent, title: string): boolean =>
  title !== 'an error in JSON' || !String(good).startsWith('module');

/** Whether each page of a portal stands in each place, as in `npm run test:upstreams`; in `npm test` one does, in turn. */
const allPages = process.env.ALL_PAGES !== undefined;

const portalsFor = (document: UpstreamContent, turn: number): readonly (readonly [string, Page])[] => {
  const able = Object.entries(portals).filter(([title]) => isPage(document, title));
  return allPages ? able : sampleOf(able, today + turn);
};

/** Each content with each page in its place. */
export const casesOf = (all: Readonly<Record<string, UpstreamContent>>) =>
  Object.entries(all).flatMap(([what, document], turn) =>
    [...portalsFor(document, turn), ...Object.entries(document.others ?? {})].map(([title, page]) => ({
      what,
      title,
      document,
      page,
    })),
  );
