import { malformed } from '../../shared/packages/formats/format-problem.ts';
import {
  childOf,
  type Element,
  parentElement,
  parseDocument,
  renderDocument,
  textElement,
  textOf,
} from '../../shared/packages/formats/xml.ts';
import type { PackageList } from './lists.ts';

/** A file that repomd.xml names. */
export interface RepodataFile {
  readonly type: string;
  /** Its name below `repodata/`. */
  readonly file: string;
  /** Its promised hash, by an algorithm such as sha256. */
  readonly checksum: { readonly algorithm: string; readonly hex: string };
  /** Its size before compression in bytes, as far as that is known. */
  readonly openSize: number | undefined;
  /** The element that names it. */
  readonly element: Element;
}

const repomdBytesMax = 1_000_000;

const namedFile = (element: Element): RepodataFile | undefined => {
  const location = childOf(element, 'location')?.attributes;
  const checksum = childOf(element, 'checksum');
  const [, file] = /^repodata\/([^/]+)$/.exec(location?.href ?? '') ?? [];
  const { type } = element.attributes;
  if (file === undefined || type === undefined || !checksum || location?.base !== undefined) return undefined;
  const algorithm = (checksum.attributes.type ?? '').replace(/^sha$/, 'sha1');
  const openSize = Number(textOf(element, 'open-size') ?? Number.NaN);
  return {
    type,
    file,
    checksum: { algorithm, hex: checksum.text.toLowerCase() },
    openSize: Number.isSafeInteger(openSize) ? openSize : undefined,
    element,
  };
};

/** The files that a repomd.xml names below `repodata/`. Throws a FormatProblem. */
export const readRepomd = (bytes: Uint8Array): readonly RepodataFile[] => {
  const root = parseDocument(bytes, 'repomd.xml', repomdBytesMax, 'by local names');
  if (root.name !== 'repomd') throw malformed('The document is no repomd.xml.');
  return root.elements.filter(({ name }) => name === 'data').flatMap((data) => namedFile(data) ?? []);
};

const checksumElement = (name: string, sha256: string): Element => ({
  ...textElement(name, sha256),
  attributes: { type: 'sha256' },
});

const dataElement = ({ type, file, bytes, sha256, openSha256, openSize }: PackageList, seconds: string): Element =>
  parentElement(
    'data',
    [
      checksumElement('checksum', sha256),
      checksumElement('open-checksum', openSha256),
      parentElement('location', [], { href: `repodata/${file}` }),
      textElement('timestamp', seconds),
      textElement('size', String(bytes.length)),
      textElement('open-size', String(openSize)),
    ],
    { type },
  );

/** Renders a repomd.xml that names lists, and files of an upstream. */
export const renderRepomd = (lists: readonly PackageList[], others: readonly RepodataFile[]): string => {
  const seconds = String(Math.floor(Date.now() / 1000));
  const elements = [
    textElement('revision', seconds),
    ...lists.map((list) => dataElement(list, seconds)),
    ...others.map(({ element }) => element),
  ];
  const namespaces = {
    xmlns: 'http://linux.duke.edu/metadata/repo',
    'xmlns:rpm': 'http://linux.duke.edu/metadata/rpm',
  };
  return renderDocument(parentElement('repomd', elements, namespaces)).toString();
};
