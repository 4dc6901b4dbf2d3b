import { hash } from 'node:crypto';
import { broken, invalid, malformed, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import type { NamedFile } from '../../shared/packages/formats/package-format.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { type CoreMetadata, parseCoreMetadata } from './core-metadata.ts';
import { isFileName, parseFileName } from './filenames.ts';
import { projectIn } from './names.ts';
import { requirementViolations } from './requirements.ts';
import { normalVersion } from './versions.ts';
import { readWheelMetadata } from './wheel-metadata.ts';

/** A wheel or a source distribution, as its metadata describes it. */
export interface Distribution {
  readonly kind: 'wheel' | 'sdist';
  readonly file: string;
  readonly received: ReceivedFile;
  /** The normalised name of the project. */
  readonly project: string;
  /** The name in the spelling of the publisher. */
  readonly displayName: string;
  /** The normalised version. */
  readonly version: string;
  readonly requiresPython?: string;
  /** METADATA of a wheel, which clients can read without the wheel (PEP 658). */
  readonly metadata?: { readonly bytes: Uint8Array; readonly sha256: string };
}

/** The kind of a file by its name. Throws for what cannot be published: nobody makes other kinds since Python 3.12. */
export const kindOf = (file: string): Distribution['kind'] => {
  if (!isFileName(file)) throw malformed('The name of the file has a character that no name of a distribution has.');
  if (file.endsWith('.whl')) return 'wheel';
  if (file.endsWith('.tar.gz') || file.endsWith('.zip')) return 'sdist';
  throw malformed(`'${file.slice(0, 100)}' is neither a wheel (.whl) nor a source distribution (.tar.gz or .zip).`);
};

/** A file with its metadata, whose source the label names. The name of the file must be that of the project and version. */
export const described = (
  { name: file, received }: NamedFile,
  { name: displayName, version: spelled, ...requirements }: CoreMetadata,
  label: string,
): Distribution => {
  const kind = kindOf(file);
  const project = projectIn(displayName);
  const version = normalVersion(spelled);
  if (project === undefined)
    throw invalid([
      broken(
        ['name'],
        'name',
        `The name in ${label} must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or a digit.`,
      ),
    ]);
  if (version === undefined)
    throw invalid([broken(['version'], 'version', `The version in ${label} must be one of PEP 440, such as 1.0.0.`)]);
  const parsed = parseFileName(file, project);
  if (parsed?.kind !== kind || parsed.version !== version)
    throw invalid([
      broken(
        ['content'],
        'filename',
        `'${file}' is no name of a ${kind} of ${displayName} ${version}, as ${label} says.`,
      ),
    ]);
  const violations = requirementViolations(requirements, label);
  requireValidFormat(violations);
  const { requiresPython } = requirements;
  return {
    kind,
    file,
    received,
    project,
    displayName,
    version,
    ...(requiresPython !== undefined && { requiresPython }),
  };
};

/** Reads METADATA of a wheel. */
export const readWheel = async (sent: NamedFile): Promise<Distribution> => {
  const bytes = await readWheelMetadata(sent.received);
  const metadata = { bytes, sha256: hash('sha256', bytes) };
  return { ...described(sent, parseCoreMetadata(bytes, 'METADATA'), 'METADATA'), metadata };
};
