/** A document that a Release names. Its path is one from the directory of the Release. */
export interface NamedDocument {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** What a Release says. */
export interface ReleaseFacts {
  readonly distribution: string;
  readonly date: Date;
  readonly architectures: readonly string[];
  readonly components: readonly string[];
  readonly documents: readonly NamedDocument[];
}

/**
 * Renders the document that names the lists of packages of a distribution by their hashes. Nothing of it but the date, the lists, the
 * architectures and the components ever changes: clients ask people about other changes.
 * wiki.debian.org/DebianRepository/Format
 */
export const renderRelease = (facts: ReleaseFacts): string => {
  const { distribution, date, architectures, components, documents } = facts;
  return [
    'Origin: Stockroom',
    'Label: Stockroom',
    `Suite: ${distribution}`,
    `Codename: ${distribution}`,
    `Date: ${date.toUTCString().replace('GMT', 'UTC')}`,
    `Architectures: ${architectures.join(' ')}`,
    `Components: ${components.join(' ')}`,
    'Acquire-By-Hash: yes',
    // Packages for all architectures are in the list of each of them.
    'No-Support-for-Architecture-all: Packages',
    'SHA256:',
    ...documents.map(({ path, sha256, size }) => ` ${sha256} ${size} ${path}`),
    '',
  ].join('\n');
};
