import { isObject } from '../../shared/packages/formats/json-objects.ts';

/** Lengths in bytes of the hashes that npm clients know. */
const lengths = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const;

/** A hash in hexadecimal. */
export interface ListedHash {
  readonly algorithm: keyof typeof lengths;
  readonly hex: string;
}

const entry = /^(?<algorithm>sha1|sha256|sha384|sha512)-(?<digest>[A-Za-z0-9+/]+={0,2})(?:\?.*)?$/;

/** The hashes of an integrity text (W3C Subresource Integrity). Like npm, it ignores algorithms that npm does not know. */
export const hashesOfIntegrity = (integrity: unknown): ListedHash[] =>
  (typeof integrity === 'string' ? integrity.split(/\s+/) : []).flatMap((text) => {
    const groups = entry.exec(text)?.groups;
    if (!groups) return [];
    const algorithm = groups.algorithm as ListedHash['algorithm'];
    const digest = Buffer.from(groups.digest ?? '', 'base64');
    return digest.length === lengths[algorithm] ? [{ algorithm, hex: digest.toString('hex') }] : [];
  });

/** The hash of a `shasum`, which is SHA-1 in hexadecimal. */
export const hashesOfShasum = (shasum: unknown): ListedHash[] =>
  typeof shasum === 'string' && /^[0-9a-f]{40}$/i.test(shasum)
    ? [{ algorithm: 'sha1', hex: shasum.toLowerCase() }]
    : [];

/** Every hash of the tarball that the `dist` of a manifest lists. */
export const hashesOfDist = (dist: unknown): ListedHash[] =>
  isObject(dist) ? [...hashesOfIntegrity(dist.integrity), ...hashesOfShasum(dist.shasum)] : [];

/** An integrity text of one hash. */
export const integrityOf = ({ algorithm, hex }: ListedHash): string =>
  `${algorithm}-${Buffer.from(hex, 'hex').toString('base64')}`;
