import { acceptedTypes } from '../../shared/http/accepted-types.ts';

/** The forms of a page, by the media types of their answers (PEP 691). */
export const pageTypes = {
  json: 'application/vnd.pypi.simple.v1+json',
  html: 'application/vnd.pypi.simple.v1+html',
  legacy: 'text/html; charset=utf-8',
} as const;

/** A form of a page. */
export type PageForm = keyof typeof pageTypes;

/** The forms of each media type that a client can name, the one that it gets first if it accepts several. */
const forms: ReadonlyMap<string, PageForm> = new Map([
  ['application/vnd.pypi.simple.v1+json', 'json'],
  ['application/vnd.pypi.simple.latest+json', 'json'],
  ['application/vnd.pypi.simple.v1+html', 'html'],
  ['application/vnd.pypi.simple.latest+html', 'html'],
  ['text/html', 'legacy'],
  ['text/*', 'legacy'],
  ['*/*', 'legacy'],
  ['application/*', 'json'],
]);

/** The form that a client prefers. Browsers, and clients that accept none of the forms, get HTML. */
export const preferredForm = (accept: string | undefined): PageForm => {
  const ranges = acceptedTypes(accept).map(({ type, weight }) => ({
    form: forms.get(type),
    isExact: !type.includes('*'),
    weight,
  }));
  const usable = ranges.filter(({ form, weight }) => form !== undefined && weight > 0);
  const [best] = usable.toSorted(
    (one, other) => other.weight - one.weight || Number(other.isExact) - Number(one.isExact),
  );
  return best?.form ?? 'legacy';
};
