import { type Readme, readmeBytesMax, readmeNames, readmeText } from './readme.ts';
import { readZip, type ZippedFile } from './zip-archive.ts';

/** All files that may be the README together: an archive may have one in each language of `readmeNames`. */
const wantedBytesMax = 4 * readmeBytesMax;

/** The folder of a path, with the slash at its end, and the name in it. */
const split = (path: string): readonly [folder: string, name: string] => {
  const end = path.lastIndexOf('/') + 1;
  return [path.slice(0, end), path.slice(end)];
};

/**
 * Reads the README of a zip archive, which stands in a folder that fits `folder` and beside a file of the name `beside`, if there is one.
 * `word` is that for the archive.
 */
export const readmeInZip =
  (word: string, folder: RegExp, beside?: string) =>
  async (file: ZippedFile): Promise<Readme | undefined> => {
    const wants = (path: string): boolean => {
      const [place, name] = split(path);
      return folder.test(place) && (name === beside || readmeNames.some(([pattern]) => pattern.test(name)));
    };
    const found = await readZip(file, { word, wants, bytesMax: wantedBytesMax });
    const folders = [...found.keys()]
      .map((path) => split(path))
      .toSorted(([one], [other]) => one.length - other.length);
    const [home] = beside === undefined ? (folders[0] ?? []) : (folders.find(([, name]) => name === beside) ?? []);
    for (const [pattern, mediaType] of readmeNames)
      for (const [path, bytes] of found) {
        const [place, name] = split(path);
        if (place === home && pattern.test(name)) return { mediaType, text: readmeText(bytes) };
      }
    return undefined;
  };
