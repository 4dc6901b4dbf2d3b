import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The recorded metadata: of artifacts and of a group on Maven Central, and what mvn wrote for a SNAPSHOT. */
export const recordedNames = ['commons-lang3', 'guava', 'junit', 'plugins', 'snapshot'] as const;

/** A maven-metadata.xml that a real client or repository sent, as bytes. */
export const recordedBytes = (name: (typeof recordedNames)[number]): Buffer =>
  gunzipSync(readFileSync(join(__dirname, '..', '..', 'fixtures', 'maven', `${name}.xml.gz`)));
