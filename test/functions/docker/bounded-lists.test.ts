import { publish } from '../../../shared/packages/changes/publish-to.ts';
import { Table } from '../../../shared/table/client.ts';
import { descriptorOf, digestOf, imageMediaType, newImage, useImages } from '../../harness/images.ts';
import { publicationOf, storedRepository } from '../../harness/packages.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const images = useImages(service);
const upstream = useUpstream();

const long = (bytes: number): string => 'a'.repeat(bytes);

describe('A manifest about another one', () => {
  it('is refused with annotations that a list of referrers could not show, and the list stays readable', async () => {
    const name = uniqueName('image');
    const { manifest } = await images.push(name, '1.0');
    const subject = descriptorOf(manifest, 'application/vnd.oci.image.manifest.v1+json');
    const signed = async (bytes: number) =>
      images.push(name, 'signature', newImage(), {}, { subject, annotations: { note: long(bytes) } });
    await expect(signed(64_001)).rejects.toThrow(/\d+ bytes, and may have at most 64000\. Move long texts/);
    await signed(60_000);
    expect((await images.get(`${name}/referrers/${subject.digest}`)).status).toBe(200);
  });
});

describe('A list of referrers', () => {
  const subject = digestOf('subject');
  const digestsIn = (text: string): string[] =>
    (JSON.parse(text) as { manifests: { digest: string }[] }).manifests.map(({ digest }) => digest);

  it('comes in pages where it is too large for an answer', async () => {
    const { workspace, repository } = images.setting;
    const stored = await storedRepository(workspace.id, repository.id);
    const digests = Array.from({ length: 80 }, (_, at) => digestOf(String(at)));
    for (const [at, version] of digests.entries()) {
      const annotations = { note: long(60_000) };
      const described = { mediaType: imageMediaType, size: 1, artifactType: `type/${at % 2}`, annotations };
      const parts = ['', subject, JSON.stringify(described)];
      const name = 'signed';
      await publish(new Table(), publicationOf(stored, { name, displayName: name, version, parts, content: 'x' }));
    }
    const read = async (query: string): Promise<string[][]> => {
      const pages: string[][] = [];
      let path: string | undefined = `signed/referrers/${subject}${query}`;
      while (path !== undefined) {
        const { text, headers } = await images.get(path);
        expect(text.length).toBeLessThan(4_500_000);
        pages.push(digestsIn(text));
        path = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1];
      }
      return pages;
    };
    const pages = await read('');
    expect(pages).toHaveLength(2);
    expect(pages.flat().toSorted()).toEqual(digests.toSorted());
    const ofType = await read('?artifactType=type/1');
    expect(ofType.flat().toSorted()).toEqual(digests.filter((_, at) => at % 2 === 1).toSorted());
  });

  it('has no annotations of an upstream that are larger than those of an image here may be', async () => {
    const small = { mediaType: imageMediaType, digest: digestOf('small'), size: 1, annotations: { note: 'n' } };
    const large = { ...small, digest: digestOf('large'), annotations: { note: long(6_000_000) }, artifactType: 'a/b' };
    upstream.answer = (_, response) => void response.end(JSON.stringify({ manifests: [small, large] }));
    const repository = await createRemote(service, images.setting.workspace, {
      packageType: 'docker',
      remoteRepositoryUrl: upstream.url,
    });
    const { text } = await images.get(`tool/referrers/${subject}`, { repository });
    const { annotations: _, ...bare } = large;
    expect((JSON.parse(text) as { manifests: object[] }).manifests).toEqual(
      [small, bare].toSorted((one, other) => (one.digest < other.digest ? -1 : 1)),
    );
  });
});

describe('The tags of an upstream', () => {
  it('may come in one answer of 150,000', async () => {
    const tags = Array.from({ length: 150_000 }, (_, at) => `t${String(at).padStart(6, '0')}`);
    upstream.answer = (_, response) => void response.end(JSON.stringify({ name: 'tool', tags }));
    const repository = await createRemote(service, images.setting.workspace, {
      packageType: 'docker',
      remoteRepositoryUrl: upstream.url,
    });
    const { text, headers } = await images.get('tool/tags/list?last=t099997', { repository });
    expect(JSON.parse(text)).toMatchObject({ tags: ['t099998', 't099999'] });
    expect(headers.link).toBeUndefined();
    expect(JSON.parse((await images.get('tool/tags/list?n=2', { repository })).text)).toMatchObject({
      tags: ['t000000', 't000001'],
    });
    const many = await images.get('tool/tags/list?n=5000', { repository });
    expect((JSON.parse(many.text) as { tags: string[] }).tags).toEqual(tags.slice(0, 1_000));
    expect(many.headers.link).toContain('last=t000999');
  });
});
