import { randomInt } from 'node:crypto';
import type { IdentityMap } from '../identity-map.ts';
import type { Key } from '../keys.ts';
import type { Update } from '../writes.ts';
import { looseSizeKey, type PackageRef } from './package-keys.ts';
import type { LooseSize } from './packages.ts';

const shardCount = 4;

/** Adds to the bytes of the files of no version. A negative number subtracts. */
export const addLooseBytes = (ref: PackageRef, bytes: number): Update => ({
  update: looseSizeKey(ref, randomInt(shardCount)),
  set: 'ADD #bytes :bytes',
  values: { ':bytes': bytes },
});

/** The keys of all shards, for a caller that reads them together with other items. */
export const looseSizeKeys = (ref: PackageRef): Key<LooseSize>[] =>
  Array.from({ length: shardCount }, (_, shard) => looseSizeKey(ref, shard));

/** The bytes of the files of no version. `loaded` has the items of `looseSizeKeys`. */
export const looseBytesOf = (ref: PackageRef, loaded: IdentityMap): number =>
  looseSizeKeys(ref).reduce((sum, key) => sum + (loaded.find(key)?.bytes ?? 0), 0);
