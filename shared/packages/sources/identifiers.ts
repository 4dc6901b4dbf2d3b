import { hash } from 'node:crypto';
import type { PackageType } from '../../package-types.ts';
import type { PackageRef } from '../../table/packages/package-keys.ts';

/** A UUID that is computed from texts (RFC 9562 section 5.8, version 8). The same texts always give the same UUID. */
const uuidOf = (...texts: readonly string[]): string => {
  const bytes = hash('sha256', JSON.stringify(texts), 'buffer').subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** The ID of a package. It is computed from the content ID and the name, and not stored. */
export const packageIdOf = ({ contentId, name }: PackageRef): string => uuidOf(contentId, name);

/** The ID of a version. It is computed like that of a package, with the version added. */
export const versionIdOf = ({ contentId, name }: PackageRef, version: string): string =>
  uuidOf(contentId, name, version);

/** What the log calls a version of a package in all repositories of a workspace: 96 bits, because each download has it in its line. */
export const servedKeyOf = (workspaceId: string, packageType: PackageType, name: string, version: string): string =>
  hash('sha256', JSON.stringify([workspaceId, packageType, name, version]), 'base64url').slice(0, 16);
