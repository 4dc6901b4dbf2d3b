import { type Element, parentElement, renderElement, textElement } from '../../shared/packages/formats/xml.ts';
import { isPrimary, type RpmDependency } from './dependencies.ts';
import type { PackagedFile } from './files.ts';
import type { RpmMetadata } from './metadata.ts';
import { fileNameOf } from './names.ts';
import type { DependencyKind } from './tags.ts';

/** A package as the three lists of a repository have it, each text an element of XML with the end of its line. */
export interface PackageTexts {
  readonly primary: string;
  readonly filelists: string;
  readonly other: string;
}

/** Where a package is, from the root of its repository: clients keep it under the last segment. */
const locationOf = (metadata: RpmMetadata): string => `Packages/${fileNameOf(metadata)}`;

const element = (name: string, attributes: Element['attributes']): Element => parentElement(name, [], attributes);

/** Attributes without those that are empty. */
const present = (attributes: Readonly<Record<string, string | undefined>>): Element['attributes'] =>
  Object.fromEntries(Object.entries(attributes).filter((pair): pair is [string, string] => Boolean(pair[1])));

const evrOf = (text: string) => {
  const [, epoch, rest = ''] = /^(?:(\d*):)?(.*)$/s.exec(text) ?? [];
  const [, ver, rel] = /^([^-]*)(?:-(.*))?$/s.exec(rest) ?? [];
  return present({ epoch: epoch ?? '0', ver, rel });
};

const entryElement = ({ name, flags, evr, isPre }: RpmDependency): Element =>
  element('rpm:entry', {
    name,
    ...(flags && { flags, ...(evr !== '' && evrOf(evr)) }),
    ...(isPre && { pre: '1' }),
  });

const dependencyOrder: readonly DependencyKind[] = [
  'provides',
  'requires',
  'conflicts',
  'obsoletes',
  'suggests',
  'enhances',
  'recommends',
  'supplements',
];

const dependencyElements = ({ dependencies }: RpmMetadata): Element[] =>
  dependencyOrder
    .filter((kind) => dependencies[kind].length > 0)
    .map((kind) => parentElement(`rpm:${kind}`, dependencies[kind].map(entryElement)));

const fileElement = ({ path, type }: PackagedFile): Element => ({
  ...textElement('file', path),
  ...(type !== 'file' && { attributes: { type } }),
});

const versionElement = ({ epoch, version, release }: RpmMetadata): Element =>
  element('version', { epoch, ver: version, rel: release });

const formatElement = (metadata: RpmMetadata): Element => {
  const { license, vendor, group, buildHost, sourceRpm, headerStart, headerEnd, files } = metadata;
  return parentElement('format', [
    textElement('rpm:license', license),
    textElement('rpm:vendor', vendor),
    textElement('rpm:group', group),
    textElement('rpm:buildhost', buildHost),
    textElement('rpm:sourcerpm', sourceRpm),
    element('rpm:header-range', { start: String(headerStart), end: String(headerEnd) }),
    ...dependencyElements(metadata),
    ...files.filter(({ path }) => isPrimary(path)).map(fileElement),
  ]);
};

const primaryElement = (metadata: RpmMetadata, sha256: string): Element => {
  const { name, arch, summary, description, packager, url, buildTime, fileSize, installedSize, payloadSize } = metadata;
  const time = String(buildTime);
  const size = { package: String(fileSize), installed: String(installedSize), archive: String(payloadSize) };
  return parentElement(
    'package',
    [
      textElement('name', name),
      textElement('arch', arch),
      versionElement(metadata),
      { ...textElement('checksum', sha256), attributes: { type: 'sha256', pkgid: 'YES' } },
      textElement('summary', summary),
      textElement('description', description),
      textElement('packager', packager),
      textElement('url', url),
      // The same bytes always have the same entry, so the time of the file is that of its build.
      element('time', { file: time, build: time }),
      element('size', size),
      element('location', { href: locationOf(metadata) }),
      formatElement(metadata),
    ],
    { type: 'rpm' },
  );
};

/** Renders a package by the rules of createrepo_c. */
export const packageTexts = (metadata: RpmMetadata, sha256: string): PackageTexts => {
  const { name, arch, files, changelog } = metadata;
  const about = { pkgid: sha256, name, arch };
  const changes = changelog.map(({ author, date, text }) => ({
    ...textElement('changelog', text),
    attributes: { author, date: String(date) },
  }));
  const rendered = (root: Element): string => `${renderElement(root)}\n`;
  return {
    primary: rendered(primaryElement(metadata, sha256)),
    filelists: rendered(parentElement('package', [versionElement(metadata), ...files.map(fileElement)], about)),
    other: rendered(parentElement('package', [versionElement(metadata), ...changes], about)),
  };
};
