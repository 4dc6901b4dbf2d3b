import { buffer } from 'node:stream/consumers';
import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { goalPrefixIn } from './jar.ts';
import { idsOf } from './paths.ts';
import { tagsOfJar, tagsOfPom } from './plugins.ts';
import { pomBytesMax, readPom } from './pom.ts';
import { snapshotFileOf } from './snapshot-names.ts';

/** The extension of the main file of a version, and of its POM; undefined for a file with a classifier. */
const mainExtension = ({ name, version, file }: FileAddress): string | undefined => {
  const snapshot = snapshotFileOf(name, version, file);
  if (snapshot) return snapshot.classifier === '' ? snapshot.extension : undefined;
  const base = `${idsOf(name).artifactId}-${version}.`;
  return file.startsWith(base) ? file.slice(base.length) : undefined;
};

/** The tags that a file adds to its package, because the package is a plugin of Maven. Any content is accepted. */
export const pluginTags = async (address: FileAddress, file: ReceivedFile): Promise<string[]> => {
  const extension = mainExtension(address);
  if (extension === 'jar') return tagsOfJar(await goalPrefixIn(file));
  if (extension !== 'pom' || file.size > pomBytesMax) return [];
  try {
    return tagsOfPom(readPom(await buffer(await file.stream())));
  } catch (error) {
    if (error instanceof FormatProblem) return [];
    throw error;
  }
};
