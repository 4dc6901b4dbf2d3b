import { type Element, parentElement, textElement } from '../../shared/packages/formats/xml.ts';
import type { SnapshotFile } from './snapshot-names.ts';

const isNewer = (one: SnapshotFile, other: SnapshotFile): boolean =>
  one.timestamp === other.timestamp ? one.buildNumber > other.buildNumber : one.timestamp > other.timestamp;

/** The newest of each kind of file, after one more. */
export const withFile = (files: readonly SnapshotFile[], added: SnapshotFile | undefined): readonly SnapshotFile[] => {
  if (!added) return files;
  const isSame = (file: SnapshotFile): boolean =>
    file.classifier === added.classifier && file.extension === added.extension;
  const known = files.find(isSame);
  if (known && !isNewer(added, known)) return files;
  return [...files.filter((file) => !isSame(file)), added];
};

/** The element `snapshot` with the newest build of these files. */
export const snapshotElement = (files: readonly SnapshotFile[]): Element | undefined => {
  const [newest] = files.toSorted((one, other) => (isNewer(one, other) ? -1 : 1));
  return (
    newest &&
    parentElement('snapshot', [
      textElement('timestamp', newest.timestamp),
      textElement('buildNumber', `${newest.buildNumber}`),
    ])
  );
};

/** The elements of `snapshotVersions`: where clients find each kind of file. */
export const snapshotVersionElements = (files: readonly SnapshotFile[]): Element[] =>
  files.map(({ value, timestamp, classifier, extension }) =>
    parentElement('snapshotVersion', [
      ...(classifier === '' ? [] : [textElement('classifier', classifier)]),
      textElement('extension', extension),
      textElement('value', value),
      textElement('updated', timestamp.replace('.', '')),
    ]),
  );
