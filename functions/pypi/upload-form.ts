import { createBLAKE2b } from 'hash-wasm';
import type { Violation } from '../../shared/errors.ts';
import { broken, malformed, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { isObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import type { NamedFile } from '../../shared/packages/formats/package-format.ts';
import type { ReceivedFile } from '../../shared/store/received-file.ts';
import { type Distribution, described, kindOf, readWheel } from './distribution.ts';
import { normalName } from './names.ts';
import { normalVersion } from './versions.ts';

type Fields = ReadonlyMap<string, readonly string[]>;

/** The value of a field that must not be repeated. */
const single = (fields: Fields, name: string): string | undefined => {
  const [value, ...others] = fields.get(name) ?? [];
  if (others.length > 0) throw malformed(`The field ${name} was sent more than once.`);
  return value;
};

const textBytesMax = 1_000;

/** The value of a field that a source distribution needs. */
const required = (fields: Fields, name: string): string => {
  const value = single(fields, name)?.trim() ?? '';
  if (value === '' || Buffer.byteLength(value) > textBytesMax)
    throw malformed(`The field ${name} must have 1 to ${textBytesMax} bytes.`);
  return value;
};

/** The first bytes of a gzipped archive and of a zip archive. */
const archiveBeginnings = new Set(['1f8b', '504b']);

/**
 * Reads the file of a form. What is shown of a wheel comes from the wheel. What is shown of a source distribution comes from the
 * fields, as at the public index: only an installation reads PKG-INFO.
 */
export const readContent = async (fields: Fields, sent: NamedFile): Promise<Distribution> => {
  if (kindOf(sent.name) === 'wheel') return readWheel(sent);
  const beginning = Buffer.from(await sent.received.read([0, 1])).toString('hex');
  if (!archiveBeginnings.has(beginning)) throw malformed(`${sent.name} is not an archive, or it is damaged.`);
  const requiresPython = single(fields, 'requires_python')?.trim() ?? '';
  const metadata = {
    name: required(fields, 'name'),
    version: required(fields, 'version'),
    ...(requiresPython !== '' && { requiresPython: required(fields, 'requires_python') }),
    requiresDist: (fields.get('requires_dist') ?? []).map((each) => each.trim()).filter((each) => each !== ''),
  };
  return described(sent, metadata, 'the form');
};

const differing = (field: string, message: string): Violation => broken([field], 'content', message);

/** Refuses a form that does something else than to upload a file by the legacy upload API of the Python Package Index. */
export const refuseOtherActions = (fields: Fields): void => {
  const action = single(fields, ':action');
  if (action !== 'file_upload')
    throw malformed(`The field :action must be file_upload: nothing else can be done with a form.`);
  const protocol = single(fields, 'protocol_version') ?? '1';
  if (protocol !== '1') throw malformed('The field protocol_version must be 1.');
};

/** Checks that what the fields say of a file is what the file is. Fields that were not sent are not checked. */
export const checkFields = async (fields: Fields, distribution: Distribution): Promise<void> => {
  const { file, kind, project, version, received } = distribution;
  const { sha256, md5 } = received.hashes;
  const blake2 = fields.has('blake2_256_digest') ? await blake2Of(received) : undefined;
  const wanted: readonly [field: string, value: string | undefined, normal: (text: string) => string | undefined][] = [
    ['name', project, normalName],
    ['version', version, normalVersion],
    ['filetype', kind === 'wheel' ? 'bdist_wheel' : 'sdist', (text) => text],
    ['sha256_digest', sha256, (text) => text.toLowerCase()],
    ['md5_digest', md5, (text) => text.toLowerCase()],
    ['blake2_256_digest', blake2, (text) => text.toLowerCase()],
  ];
  const violations = wanted.flatMap(([field, value, normal]) => {
    const sent = single(fields, field);
    // uv sends an empty field for a hash that it does not compute.
    const isRight = sent === undefined || sent === '' || value === undefined || normal(sent.trim()) === value;
    return isRight ? [] : [differing(field, `${field} is not that of ${file}, which is '${value}'.`)];
  });
  requireValidFormat(violations);
};

/** BLAKE2b with 32 bytes, which node:crypto does not have. */
const blake2Of = async (received: ReceivedFile): Promise<string> => {
  const hash = await createBLAKE2b(256);
  for await (const chunk of await received.stream()) hash.update(chunk as Buffer);
  return hash.digest();
};

const attestationsMax = 20;

/** The provenance of a file (PEP 740) with the attestations that its publisher sent; undefined if none was sent. */
export const provenanceIn = (fields: Fields, publisher: string): Uint8Array | undefined => {
  const sent = single(fields, 'attestations');
  if (sent === undefined) return undefined;
  const { attestations } = parseObject(`{"attestations":${sent}}`, 'The field attestations');
  const isRight =
    Array.isArray(attestations) &&
    attestations.length > 0 &&
    attestations.length <= attestationsMax &&
    attestations.every((each) => isObject(each) && each.version === 1 && isObject(each.envelope));
  if (!isRight)
    throw malformed(
      `The field attestations must be a JSON array of 1 to ${attestationsMax} attestations of version 1 (PEP 740).`,
    );
  // Nobody verifies them here: who reads them does, and gets the name of who published them.
  const bundle = { publisher: { kind: 'Stockroom', username: publisher }, attestations };
  return Buffer.from(JSON.stringify({ version: 1, attestation_bundles: [bundle] }));
};

const signatureBytesMax = 64 * 1024;

/** Refuses a signature that is no detached one by OpenPGP. */
export const refuseSignature = (bytes: Uint8Array): void => {
  const isArmored = Buffer.from(bytes).subarray(0, 100).toString('latin1').startsWith('-----BEGIN PGP SIGNATURE-----');
  if (bytes.length > signatureBytesMax || !isArmored)
    throw malformed(`gpg_signature must be an armored OpenPGP signature of at most ${signatureBytesMax} bytes.`);
};
