import { type FailureContext, UpstreamError } from '../../upstream/upstream-error.ts';
import { ZipEnd } from './zip-end.ts';

/** How many bytes are read of a file to know that it is no web page: portals begin with a comment or a license at most. */
const beginningBytes = 1_024;

/** A declaration of XML, comments, and then the beginning of HTML (WHATWG MIME Sniffing section 7.1, where it is unlikely in other files). */
const pageStart = /^(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html|head|body|title)\b/i;

const beginningOf = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, beginningBytes)).toString();

/** Whether bytes begin as a web page does, such as that of a portal, a login or a maintenance. */
export const isWebPage = (bytes: Uint8Array): boolean => pageStart.test(beginningOf(bytes).trimStart());

/**
 * How a file begins that is no web page: as an archive, as XML, as JSON whose beginning has a member, not as JSON, or in any other way. An archive
 * of Java begins or ends as a zip. Portals also answer in plain text, and servers of APIs with an error in JSON.
 */
export type FileForm = 'zip' | 'jar' | 'gzip' | 'ar' | 'xml' | 'no JSON' | 'any' | { readonly member: string };

const beginsWith = (bytes: Uint8Array, ...start: readonly number[]): boolean =>
  start.every((byte, index) => bytes[index] === byte);

const beginnings: Readonly<Record<Extract<FileForm, string>, (bytes: Uint8Array) => boolean>> = {
  // An empty archive has only its end, which begins with the same two letters.
  zip: (bytes) => beginsWith(bytes, 0x50, 0x4b),
  // A script may come first that runs it, so the end decides.
  jar: () => true,
  // RFC 1952 section 2.3.1.
  gzip: (bytes) => beginsWith(bytes, 0x1f, 0x8b),
  // ar(5).
  ar: (bytes) => beginningOf(bytes).startsWith('!<arch>\n'),
  // UTF-16 begins with a byte order mark (XML 1.0 section 4.3.3).
  xml: (bytes) => beginsWith(bytes, 0xff, 0xfe) || beginsWith(bytes, 0xfe, 0xff) || /^\s*</.test(beginningOf(bytes)),
  'no JSON': (bytes) => !/^\s*[{[]/.test(beginningOf(bytes)),
  any: () => true,
};

const hasForm = (bytes: Uint8Array, form: FileForm): boolean => {
  if (typeof form === 'string') return beginnings[form](bytes) && !isWebPage(bytes);
  const text = beginningOf(bytes);
  return /^\s*\{/.test(text) && text.includes(`"${form.member}"`);
};

/** Passes a file on, unless its beginning shows that it is something else: a portal's page, for which there is no hash to compare. */
export const requireForm = (context: FailureContext, form: FileForm) =>
  async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let beginning: Uint8Array | undefined = new Uint8Array();
    // What does not begin as a zip has to end as one.
    let end: ZipEnd | undefined;
    const requireThat = (isRight: boolean): void => {
      if (isRight) return;
      throw new UpstreamError(
        'protocol',
        context,
        'sent something else in place of the file, such as the page of a portal',
      );
    };
    const checked = (bytes: Uint8Array): Uint8Array => {
      requireThat(hasForm(bytes, form));
      if (form === 'jar' && !hasForm(bytes, 'zip')) end = new ZipEnd();
      end?.add(bytes);
      return bytes;
    };
    for await (const chunk of chunks) {
      if (!beginning) {
        end?.add(chunk);
        yield chunk;
        continue;
      }
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length < beginningBytes) continue;
      yield checked(beginning);
      beginning = undefined;
    }
    if (beginning) yield checked(beginning);
    requireThat(end?.isThere !== false);
  };
