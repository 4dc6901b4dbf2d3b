import type { RemoteRepository } from '../../table/repositories/repositories.ts';
import { readMetadata } from '../../upstream/read-metadata.ts';
import { UpstreamError } from '../../upstream/upstream-error.ts';
import type { UpstreamResponse } from '../../upstream/upstream-response.ts';
import { isObject } from '../formats/json-objects.ts';
import { secretsOf } from './upstream-clients.ts';

/** The longest page of a denial that is read, the time for it, and the maximum length of the sentence that is passed on. */
const pageLimits = { bytesMax: 4_096, ratioMax: 200, ratioFreeBytes: 4_096 };
const pageMilliseconds = 1_000;
const sentenceLengthMax = 200;

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

const textIn = (value: unknown): string | undefined =>
  isObject(value) ? (textOf(value.message) ?? textOf(value.detail)) : textOf(value);

/** The sentence in a page of JSON, where registries and proxies have it. */
const sentenceInJson = (page: unknown): string | undefined => {
  if (!isObject(page)) return undefined;
  const [first] = Array.isArray(page.errors) ? (page.errors as readonly unknown[]) : [];
  return textIn(first) ?? textIn(page.error) ?? textIn(page);
};

/** The sentence in the page of a denial: a member of JSON, or a short plain text. A page of HTML has none. */
const sentenceIn = (page: string, contentType = 'text/plain'): string | undefined => {
  if (/^[^;]*\bjson\b/i.test(contentType) || page.trimStart().startsWith('{'))
    try {
      return sentenceInJson(JSON.parse(page));
    } catch {
      return undefined;
    }
  return /^text\/plain\b/i.test(contentType) && !page.includes('<') ? textOf(page) : undefined;
};

/** Words that may be tokens which the upstream itself gave: long, without a dot or a slash, and with a digit. */
const tokenLike = /(?=[\w+=-]*\d)[\w+=-]{32,}/g;

const mask = '…';

/** The sentence without secrets and control characters, in one line. The longest secret is masked first: it may contain others. */
const cleaned = (sentence: string, secrets: readonly string[]): string => {
  let text = sentence;
  for (const secret of secrets.toSorted((one, other) => other.length - one.length))
    text = text.replaceAll(secret, mask);
  return text
    .replaceAll(tokenLike, mask)
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replaceAll('"', "'")
    .trim()
    .replace(/\.$/, '');
};

/** The sentence in the page of a denial that may be shown; undefined if there is none. */
export const sentenceOf = (
  page: string,
  contentType: string | undefined,
  secrets: readonly string[],
): string | undefined => {
  const sentence = sentenceIn(page, contentType);
  // A secret that were cut in two would not be found: the sentence is cut at the end.
  return sentence && cleaned(sentence, secrets).slice(0, sentenceLengthMax);
};

/** What the upstream says of its denial, if it says so briefly. A page that does not come says nothing. */
const readSentence = async (source: RemoteRepository, response: UpstreamResponse): Promise<string | undefined> => {
  const tooLate = setTimeout(() => response.body.destroy(), pageMilliseconds);
  try {
    const page = (await readMetadata(response, pageLimits)).toString();
    return sentenceOf(page, response.headers['content-type'], await secretsOf(source));
  } catch {
    return undefined;
  } finally {
    clearTimeout(tooLate);
  }
};

/** How the credentials of the repository took part. They are sent only to the origin of its URL. */
const partOf = ({ remoteRepositoryUrl, ...source }: RemoteRepository, { url }: UpstreamResponse) => {
  if (source.remoteRepositoryUsername === null && source.passwordCiphertext === null) return 'none';
  return url.origin === new URL(remoteRepositoryUrl).origin ? 'sent' : 'elsewhere';
};

const predicates = {
  401: {
    none: 'demands credentials, and this repository has none',
    sent: 'does not accept the credentials of this repository',
    elsewhere: 'demands credentials, and those of this repository are not sent to it',
  },
  403: {
    none: 'forbids this, and this repository has no credentials for it',
    sent: 'forbids this to the credentials of this repository',
    elsewhere: 'forbids this, and the credentials of this repository are not sent to it',
  },
} as const;

/** The failure of an upstream that denies access (401, 403), with what it says of that. Reads or destroys its page. */
export const denialOf = async (source: RemoteRepository, response: UpstreamResponse): Promise<UpstreamError> => {
  const { context, url } = response;
  // Readers of the repository do not learn the name of an internal host.
  const target = context.host === url.host ? '' : 'leads to an address that ';
  const predicate = target + predicates[response.status === 401 ? 401 : 403][partOf(source, response)];
  const sentence = await readSentence(source, response);
  return new UpstreamError('status', context, sentence ? `${predicate}: "${sentence}"` : predicate);
};
