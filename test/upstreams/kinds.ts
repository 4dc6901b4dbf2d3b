import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { getMavenFile } from '../../functions/maven/contracts.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { sha256 } from '../harness/bytes.ts';
import { packumentOf } from '../harness/npm.ts';
import { refusing, serving } from '../harness/upstream.ts';

export type Part = 'file' | 'index';

/** How clients ask for a package of a type, and how a good upstream of that type answers. */
export interface UpstreamKind {
  readonly contract: Contract;
  /** The path that a client asks for, when this part of the upstream misbehaves. */
  readonly pathOf: (part: Part) => string;
  readonly urlOf: (url: string) => string;
  readonly good: (url: string) => RequestListener;
  /** Which part of the upstream a path of it is; neither, such as a checksum, always answers well. */
  readonly partOf: (path: string) => Part | undefined;
}

/** What the file has. */
export const content = 'the file';

/** Answers with what stands at a path, and 404 elsewhere. */
const offering =
  (contents: Readonly<Record<string, string>>): RequestListener =>
  (request, response) => {
    const found = contents[request.url ?? ''];
    (found === undefined ? refusing(404) : serving(found))(request, response);
  };

const sdist = 'tool-1.0.0.tar.gz';
const page = JSON.stringify({
  meta: { 'api-version': '1.0' },
  name: 'tool',
  files: [{ filename: sdist, url: `../../packages/${sdist}`, hashes: { sha256: sha256(content) } }],
});

const jar = 'org/acme/tool/1.0.0/tool-1.0.0.jar';
/** As it is rendered, too. */
const mavenMetadata = `<?xml version="1.0" encoding="UTF-8"?>
<metadata>
  <groupId>org.acme</groupId>
  <artifactId>tool</artifactId>
  <versioning>
    <versions>
      <version>1.0.0</version>
    </versions>
  </versioning>
</metadata>
`;

const isPart =
  (file: string, index: string) =>
  (path: string): Part | undefined => {
    if (path.endsWith(file)) return 'file';
    return path.endsWith(index) ? 'index' : undefined;
  };

export const kinds = {
  /** It has no index: the file misbehaves in its place. */
  universal: {
    contract: getUniversalFile,
    pathOf: () => 'tool/1.0.0/tool.bin',
    urlOf: (url) => `${url}/{package-name}/{version}/{file}`,
    good: () => serving(content),
    partOf: () => 'file',
  },
  npm: {
    contract: getNpmDocument,
    pathOf: () => 'tool/-/tool-1.0.0.tgz',
    urlOf: (url) => url,
    good: (url) =>
      offering({
        '/tool/-/tool-1.0.0.tgz': content,
        '/tool': JSON.stringify(packumentOf(url, 'tool', { '1.0.0': { tarball: Buffer.from(content) } })),
      }),
    partOf: isPart('.tgz', '/tool'),
  },
  pypi: {
    contract: getPypiDocument,
    pathOf: () => `files/tool/1.0.0/${sdist}`,
    urlOf: (url) => url,
    good: () => offering({ [`/packages/${sdist}`]: content, '/simple/tool/': page }),
    partOf: isPart('.gz', '/'),
  },
  maven: {
    contract: getMavenFile,
    pathOf: (part) => (part === 'file' ? jar : 'org/acme/tool/maven-metadata.xml'),
    urlOf: (url) => url,
    good: () =>
      offering({
        [`/${jar}`]: content,
        [`/${jar}.sha1`]: createHash('sha1').update(content).digest('hex'),
        '/org/acme/tool/maven-metadata.xml': mavenMetadata,
      }),
    partOf: isPart('.jar', '.xml'),
  },
} as const satisfies Record<string, UpstreamKind>;

export type Type = keyof typeof kinds;
export const types = Object.keys(kinds) as Type[];

/** What a client reads once the upstream answers well. */
export const goodText = (type: Type, part: Part): string =>
  type === 'maven' && part === 'index' ? mavenMetadata : content;
