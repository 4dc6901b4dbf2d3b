import { oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { packageType, plainUpstreams, plainVersions } from '../../shared/packages/types/package-type.ts';
import { digestOf, isDigest } from './digests.ts';
import { shapeProblem } from './error-shape.ts';
import { isImageName, isTag } from './paths.ts';

export * as contracts from './contracts.ts';

const ofHub = 'library/';

export const docker = packageType({
  name: 'docker',
  root: '/v2/',
  words: {
    title: 'Packages: docker',
    description:
      'A registry of OCI images and artifacts at `/v2/`: `docker login {host}` with the username `token` and a token as the password, then `docker push {host}/{workspace}/{repository}/{image}:{tag}`. The base URL must have no path.',
    pathParameters: {},
  },
  /** At Docker Hub, a name of one part is one of `library/`: a rule that blocks one of them blocks both. */
  spelling: {
    normalize: oneSpelling,
    isName: isImageName,
    aliasesOf: (name) => {
      if (!name.includes('/')) return [ofHub + name];
      return name.startsWith(ofHub) ? [name.slice(ofHub.length)] : [];
    },
    versions: {
      normalize: (text) => (isDigest(text) || isTag(text) ? text : undefined),
      /** The hash of a digest alone could also be a tag. */
      covers: (version, other) => other === digestOf(version),
    },
  },
  upstream: { ...plainUpstreams, challenges: 'for a token' },
  whilePending: 'redirect',
  shapeProblem,
  publishing: {
    by: 'clients only',
    refusal:
      'An image consists of a manifest and blobs, which only a client of registries can send: push it with docker, podman, crane, oras or helm.',
  },
  versions: plainVersions,
  withoutGate: 'registries say no times',
});
export { docker as definition };

export const releases = async () => import('./releases.ts');
