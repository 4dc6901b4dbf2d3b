import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import { parseDocument, textOf } from '../../shared/packages/formats/xml.ts';
import { readZip } from '../../shared/packages/formats/zip-archive.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { pomBytesMax } from './pom.ts';

const descriptorPath = 'META-INF/maven/plugin.xml';
const pomPath = /^META-INF\/maven\/[^/]+\/[^/]+\/pom\.xml$/;

/** The descriptor of a plugin contains the documentation of all its goals. */
const descriptorBytesMax = 8 * 1024 * 1024;

type Jar = Pick<ReceivedFile, 'size' | 'read'>;

/** Returns the POMs in a jar, by their paths. A jar of several modules has several. Throws the problem of a damaged jar. */
export const pomsIn = async (jar: Jar): Promise<readonly Buffer[]> => {
  const poms = await readZip(jar, { word: 'jar', wants: (path) => pomPath.test(path), bytesMax: pomBytesMax });
  return [...poms.values()];
};

/** The prefix that a jar declares for its goals; undefined if it is no plugin, or cannot be read. */
export const goalPrefixIn = async (jar: Jar): Promise<string | undefined> => {
  try {
    const wish = { word: 'jar', wants: (path: string) => path === descriptorPath, bytesMax: descriptorBytesMax };
    const descriptor = (await readZip(jar, wish)).get(descriptorPath);
    return descriptor && textOf(parseDocument(descriptor, 'plugin.xml', descriptorBytesMax), 'goalPrefix');
  } catch (error) {
    // A file of any content may have the name of a jar, and is stored as it is.
    if (error instanceof FormatProblem) return undefined;
    throw error;
  }
};
