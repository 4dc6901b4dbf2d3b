import { broken, invalid, malformed } from '../../shared/packages/formats/format-problem.ts';
import { childOf, parseDocument, textOf } from '../../shared/packages/formats/xml.ts';
import { isFileAddress, packageName } from './paths.ts';

/** What this service reads in a POM. */
export interface Pom {
  readonly name: string;
  readonly artifactId: string;
  readonly version: string;
  readonly packaging: string;
}

/** The maximum size of a POM. */
export const pomBytesMax = 4 * 1024 * 1024;

/** Reads a POM. Group and version may be those of its parent. Throws a problem if it is none, or if it names no version. */
export const readPom = (bytes: Uint8Array): Pom => {
  const project = parseDocument(bytes, 'The POM', pomBytesMax);
  if (project.name !== 'project') throw malformed('The POM must have the element project.');
  const parent = childOf(project, 'parent');
  const inherited = (field: string): string => textOf(project, field) ?? (parent && textOf(parent, field)) ?? '';
  const [groupId, artifactId, version] = [
    inherited('groupId'),
    textOf(project, 'artifactId') ?? '',
    inherited('version'),
  ];
  const name = packageName(groupId, artifactId);
  const unresolved = [groupId, artifactId, version].find((text) => text.includes('${'));
  if (unresolved !== undefined)
    throw invalid([
      broken(
        ['version'],
        'resolved',
        `The POM contains ${unresolved}: publish one in which the properties are resolved.`,
      ),
    ]);
  if (!isFileAddress({ name, version, file: `${artifactId}-${version}.pom` }))
    throw invalid([
      broken(
        ['artifactId'],
        'ids',
        "The POM must have a groupId, an artifactId and a version. IDs consist of letters, digits, '_', '-' and '.'.",
      ),
    ]);
  return { name, artifactId, version, packaging: textOf(project, 'packaging') ?? 'jar' };
};
