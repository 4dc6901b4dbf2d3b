import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { goalPrefixIn } from './jar.ts';
import { idsOf } from './paths.ts';
import { type PluginPrefixes, prefixOfJar, prefixOfPom } from './plugins.ts';
import { pomBytesMax, readPom } from './pom.ts';
import { snapshotFileOf } from './snapshot-names.ts';

/** The extension of the main file of a version, and of its POM; undefined for a file with a classifier. */
const mainExtension = ({ name, version, file }: FileAddress): string | undefined => {
  const snapshot = snapshotFileOf(name, version, file);
  if (snapshot) return snapshot.classifier === '' ? snapshot.extension : undefined;
  const base = `${idsOf(name).artifactId}-${version}.`;
  return file.startsWith(base) ? file.slice(base.length) : undefined;
};

/** The prefix that a file gives its version, because the version is a plugin of Maven. Any content is accepted. */
export const pluginPrefixes = async (address: FileAddress, file: ReceivedFile): Promise<PluginPrefixes> => {
  const extension = mainExtension(address);
  if (extension === 'jar') return prefixOfJar(await goalPrefixIn(file));
  if (extension !== 'pom' || file.size > pomBytesMax) return {};
  try {
    return prefixOfPom(readPom(await file.bytes()));
  } catch (error) {
    if (error instanceof FormatProblem) return {};
    throw error;
  }
};
