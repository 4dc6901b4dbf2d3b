import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { normalName } from './names.ts';
import type { ProjectFiles } from './project-files.ts';

/** Whether a page is of JSON (PEP 691), by its beginning: servers of files often give no media type. */
export const isJsonPage = (text: string): boolean => /^\s*\{/.test(text);

const jsonTypes = /^application\/(?:json|[\w.-]+\+json)$/;
const indexType = 'application/vnd.pypi.simple.v1+html';
const htmlTypes = new Set(['text/html', 'application/xhtml+xml', indexType]);
const unspecificTypes = /^(?:|text\/plain|application\/octet-stream|binary\/octet-stream)$/;

const mediaTypeIn = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** Refuses a page whose media type says that it is something else. */
const requireMediaType = (type: string, isJson: boolean): void => {
  if (!unspecificTypes.test(type) && !(isJson ? jsonTypes.test(type) : htmlTypes.has(type)))
    throw malformed(`The page of the upstream does not have the form of its media type, '${type}'.`);
};

/** A page that opens one of these elements is only whole with its end: every index closes what it opens. */
const requireEnd = (html: string): void => {
  const outer = ['html', 'body'].find((name) => new RegExp(`<${name}[\\s>]`, 'i').test(html));
  if (outer !== undefined && !new RegExp(`</${outer}\\s*>`, 'i').test(html))
    throw malformed('The page of the upstream was cut.');
};

/** How much of a page its head can have. */
const headLength = 8_192;

/**
 * What shows that a page without files is that of an index: the versions of PEP 629 and of the API before it; the headings of
 * indexes (warehouse, devpi, Nexus, Artifactory, GitLab, bandersnatch); those of servers that list a folder (Python, nginx, Apache).
 */
const marks = [
  /<meta\s[^<>]*name\s*=\s*["']?(?:pypi:|api-version)/i,
  /<(?:title|h1)[^<>]*>[^<]*\b(?:links for|simple index|directory listing for|index of)\b/i,
];

/** The file names of other projects may be on any page, such as the client of a portal. */
const isOfProject = (filename: string, name: string): boolean => normalName(filename).startsWith(name);

/**
 * Refuses a page that is that of no index. The page of a portal, or of a maintenance, would be an empty project otherwise, and its
 * copy would replace a good one. JSON has said already that it is an index, by its version and its list of files.
 */
export const requireIndex = (sent: Buffer, contentType = '', name: string, { files }: ProjectFiles): void => {
  const text = sent.toString();
  const isJson = isJsonPage(text);
  const type = mediaTypeIn(contentType);
  requireMediaType(type, isJson);
  if (isJson) return;
  requireEnd(text);
  const head = text.slice(0, headLength);
  if (type === indexType || marks.some((mark) => mark.test(head))) return;
  if (!files.some(({ filename }) => isOfProject(filename, name)))
    throw malformed('The page of the upstream is not that of an index.');
};
