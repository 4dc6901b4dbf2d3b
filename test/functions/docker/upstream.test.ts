import { nextQuery, upstreamManifest } from '../../../functions/docker/upstream.ts';
import type { RemoteRepository } from '../../../shared/table/repositories/repositories.ts';
import { digestOf } from '../../harness/images.ts';

const digest = digestOf('manifest');

describe('The address of an image at an upstream', () => {
  it.each([
    ['https://registry-1.docker.io', 'alpine', 'https://registry-1.docker.io/v2/library/alpine'],
    ['https://registry-1.docker.io/', 'acme/web', 'https://registry-1.docker.io/v2/acme/web'],
    ['https://registry-1.docker.io/acme', 'web', 'https://registry-1.docker.io/v2/acme/web'],
    ['https://ghcr.io', 'alpine', 'https://ghcr.io/v2/alpine'],
    ['https://ghcr.io/acme/', 'web', 'https://ghcr.io/v2/acme/web'],
    ['https://ghcr.io/v2/acme', 'web', 'https://ghcr.io/v2/acme/web'],
    ['https://ghcr.io/v2', 'web', 'https://ghcr.io/v2/web'],
    ['https://ghcr.io/v2x', 'web', 'https://ghcr.io/v2/v2x/web'],
  ])('of %s and %s is %s', (remoteRepositoryUrl, image, expected) => {
    const { url } = upstreamManifest({ remoteRepositoryUrl } as RemoteRepository, image, digest);
    expect(url).toBe(`${expected}/manifests/${digest}`);
  });
});

describe('Where a list of an upstream goes on', () => {
  const url = 'https://registry.test/v2/app/tags/list';
  it.each([
    ['</v2/app/tags/list?last=a>; rel="next"', '?last=a'],
    ['<?last=a>; rel=next', '?last=a'],
    ['<?last=a>; title="more"; rel="next"', '?last=a'],
    ['<?last=a> ; title="more, or; less" ; REL = "last Next"', '?last=a'],
    ['<?last=z>; rel="prev", <?last=a>; rel="next"', '?last=a'],
    ['<?last=z>; title="rel=next", <?last=y>; rel="nextto"', undefined],
    ['<?last=z>; title="; rel=next"', undefined],
    ['<?last=z>', undefined],
    [undefined, undefined],
  ])('%s is %s', (link, expected) => {
    expect(nextQuery(link, url)).toBe(expected);
  });
});
