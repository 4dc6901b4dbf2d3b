import { broken, invalid, malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject } from '../../shared/packages/formats/json-objects.ts';
import { parseYaml } from '../../shared/packages/formats/yaml.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { readMetadata } from './metadata.ts';
import { chartFile, hasFileNames } from './paths.ts';

/** What a provenance file says: the version that it signs, and the SHA-256 of the file of the version. */
export interface Provenance {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

const bytesMax = 1024 * 1024;

/** The signed text (RFC 9580 section 7): between the headers and the signature. A hyphen at the start of a line is escaped. */
const signedText = (text: string): string | undefined => {
  const message =
    /^-----BEGIN PGP SIGNED MESSAGE-----\r?\n(?:[A-Za-z]+:[^\n]*\n)*\r?\n(?<signed>[\s\S]*?)\n-----BEGIN PGP SIGNATURE-----/.exec(
      text.trimStart(),
    );
  return message?.groups?.signed?.replaceAll(/^- /gm, '').replaceAll('\r\n', '\n');
};

/**
 * Reads a provenance file as `helm package --sign` makes it: Chart.yaml, a line with three dots, and the hash of the chart. The
 * signature is not verified, because only the user of the chart knows whose signature counts.
 */
export const parseProvenance = (bytes: Buffer): Provenance => {
  const [chart, files, ...more] = signedText(bytes.toString())?.split(/\n\.\.\.\n/) ?? [];
  if (chart === undefined || files === undefined || more.length > 0)
    throw malformed('The provenance must be a file that helm package --sign makes: a signed message with two parts.');
  const label = 'The first part of the provenance';
  const { name, version } = readMetadata(parseYaml(Buffer.from(chart), label), label);
  const listed = parseYaml(Buffer.from(files), 'The second part of the provenance');
  const hashes = isObject(listed) && isObject(listed.files) ? listed.files : {};
  const hash = Object.hasOwn(hashes, chartFile(name, version)) ? hashes[chartFile(name, version)] : undefined;
  const sha256 = /^sha256:(?<hex>[0-9a-f]{64})$/.exec(typeof hash === 'string' ? hash : '')?.groups?.hex;
  if (!hasFileNames(name, version) || sha256 === undefined)
    throw invalid([
      broken(['files'], 'hash', `The provenance must have the hash of ${chartFile(name, version)}, as sha256:<hex>.`),
    ]);
  return { name, version, sha256 };
};

/** Reads a received provenance file. */
export const readProvenance = async ({ size, bytes }: ReceivedFile): Promise<Provenance> => {
  if (size > bytesMax) throw malformed(`A provenance file must have at most ${bytesMax} bytes.`);
  return parseProvenance(await bytes());
};

/** Refuses a provenance file of another version, or of other bytes. */
export const checkProvenance = (provenance: Provenance, chart: Provenance): void => {
  const { name, version, sha256 } = chart;
  if (provenance.name !== name || provenance.version !== version)
    throw invalid([
      broken(
        [],
        'version',
        `The provenance is that of ${provenance.name} ${provenance.version}, not of ${name} ${version}.`,
      ),
    ]);
  if (provenance.sha256 !== sha256)
    throw invalid([
      broken(['files'], 'hash', `The provenance has another hash than the chart, whose SHA-256 is ${sha256}.`),
    ]);
};
