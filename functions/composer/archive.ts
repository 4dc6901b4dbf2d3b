import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { readZip, type ZippedFile } from '../../shared/packages/formats/zip-archive.ts';

/** At the root of the archive, or in a folder there: the archives of GitHub and of git have one folder with everything. */
const manifestPath = /^(?:[^/]+\/)?composer\.json$/;

const manifestBytesMax = 1024 * 1024;

/** Reads the composer.json of an archive: that at its root, else the one in its folders. Nothing is extracted. */
export const readManifest = async (file: ZippedFile): Promise<JsonObject> => {
  const wants = (path: string): boolean => manifestPath.test(path);
  const found = await readZip(file, { word: 'zip', wants, bytesMax: manifestBytesMax });
  const [inFolder, ...others] = found.values();
  const manifest = found.get('composer.json') ?? inFolder;
  if (!manifest) throw malformed('The zip has no composer.json at its root or in its only folder.');
  if (others.length > 0 && !found.has('composer.json'))
    throw malformed('The zip has a composer.json in several folders, and none at its root.');
  return parseObject(manifest, 'composer.json in the zip');
};
