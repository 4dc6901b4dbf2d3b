import { malformed } from '../../shared/packages/formats/format-problem.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { type ChangelogEntry, changelogOf } from './changelog.ts';
import { dependenciesOf } from './dependencies.ts';
import { filesOf, type PackagedFile } from './files.ts';
import { type Header, type PackageHeaders, readHeaders } from './header.ts';
import { isBuild, type RpmName } from './names.ts';
import { signatureTags, tags } from './tags.ts';
import type { Evr } from './versions.ts';

/** What the lists of a repository say of a package. Sizes are in bytes, times in seconds since 1970. */
export interface RpmMetadata extends RpmName, Evr {
  readonly summary: string;
  readonly description: string;
  readonly packager: string;
  readonly url: string;
  readonly license: string;
  readonly vendor: string;
  readonly group: string;
  readonly buildHost: string;
  readonly sourceRpm: string;
  readonly buildTime: number;
  readonly fileSize: number;
  readonly installedSize: number;
  readonly payloadSize: number;
  /** Where its header is in the file. */
  readonly headerStart: number;
  readonly headerEnd: number;
  readonly dependencies: ReturnType<typeof dependenciesOf>;
  readonly files: readonly PackagedFile[];
  readonly changelog: readonly ChangelogEntry[];
}

/** The first number of the first of these tags that the header has; 0 if it has none. */
const firstNumber = (header: Header, ...which: readonly number[]): number =>
  which.flatMap((tag) => header.numbers(tag).slice(0, 1))[0] ?? 0;

/** Refuses a file that is shorter or longer than its signature says. */
const requireSize = ({ signature, start }: PackageHeaders, fileSize: number): void => {
  const signed = firstNumber(signature, signatureTags.size, signatureTags.longSize);
  if (signed !== 0 && start + signed !== fileSize)
    throw malformed(
      `The package says that it has ${start + signed} bytes, and ${fileSize} arrived: it was cut or changed. Send the whole file.`,
    );
};

const nameOf = (header: Header): RpmName & Evr => {
  const name = {
    name: header.text(tags.name),
    version: header.text(tags.version),
    release: header.text(tags.release),
    arch: header.has(tags.sourceRpm) ? header.text(tags.arch) : 'src',
    epoch: String(firstNumber(header, tags.epoch)),
  };
  if (isBuild(name)) return name;
  throw malformed(
    'The header of the package must have a name, a version, a release and an architecture of letters, digits and . _ + ~ ^ alone (the name also -), with at most 150 characters each: build the package anew.',
  );
};

/** Reads the metadata of a package from its headers. Throws a FormatProblem. */
export const readMetadata = async (file: Pick<ReceivedFile, 'size' | 'read'>): Promise<RpmMetadata> => {
  const headers = await readHeaders(file);
  const { header, signature } = headers;
  requireSize(headers, file.size);
  const files = filesOf(header);
  return {
    ...nameOf(header),
    summary: header.text(tags.summary),
    description: header.text(tags.description),
    packager: header.text(tags.packager),
    url: header.text(tags.url),
    license: header.text(tags.license),
    vendor: header.text(tags.vendor),
    group: header.text(tags.group),
    buildHost: header.text(tags.buildHost),
    sourceRpm: header.text(tags.sourceRpm),
    buildTime: firstNumber(header, tags.buildTime),
    fileSize: file.size,
    installedSize: firstNumber(header, tags.size, tags.longSize),
    payloadSize: firstNumber(signature, signatureTags.payloadSize, signatureTags.longPayloadSize),
    headerStart: headers.start,
    headerEnd: headers.end,
    dependencies: dependenciesOf(header, new Set(files.map(({ path }) => path))),
    files,
    changelog: changelogOf(header),
  };
};
