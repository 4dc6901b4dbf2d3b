import {
  descriptorOf,
  digestOf,
  imageMediaType,
  indexMediaType,
  manifestOf,
  newImage,
  useImages,
} from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const images = useImages(service);

const tagsOf = (text: string): string[] => (JSON.parse(text) as { tags: string[] }).tags;

describe('GET /v2/{workspace}/{repository}/{image}/manifests/{reference}', () => {
  itAnswers('200 with the exact bytes and the media type, by digest and by tag', async () => {
    const { manifest, digest } = await images.push('app/web', '1.0');
    const answers = [await images.get('app/web/manifests/1.0'), await images.get(`app/web/manifests/${digest}`)];
    for (const { text, headers } of answers)
      expect([text, headers['content-type'], headers['docker-content-digest'], headers['x-stockroom-origin']]).toEqual([
        manifest,
        imageMediaType,
        digest,
        images.setting.repository.name,
      ]);
    const head = await images.send('HEAD', 'app/web/manifests/1.0');
    expect([head.status, head.headers['content-length'], head.headers['docker-content-digest']]).toEqual([
      200,
      String(manifest.length),
      digest,
    ]);
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for what is not there, or can be no tag', async () => {
    const { manifest } = await images.push('dotted', '1');
    return [
      await images.get('nothing/manifests/latest'),
      await images.get(`nothing/manifests/${digestOf('x')}`),
      await images.get('nothing/manifests/.invalid'),
      await images.pushManifest('dotted', '.invalid', manifest),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for a path that is none of a registry', async () => [
    await images.get('App/manifests/latest'),
    await images.get('app'),
    await images.get('app/manifests'),
    await images.get('a//b/manifests/latest'),
  ]);

  itAnswers('400 PACKAGE_INVALID for another algorithm', async () =>
    images.get(`app/manifests/sha512:${'0'.repeat(128)}`),
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const other = await service.world.repository(images.setting.workspace, undefined, 'universal');
    return images.get('app/manifests/latest', { repository: other });
  });
});

describe('GET /v2/{workspace}/{repository}/{image}/blobs/{digest}', () => {
  it('serves small blobs inline, and large ones by a redirect, also for HEAD', async () => {
    const [small, large] = ['small', 'large'.padEnd(300_000, '.')];
    for (const bytes of [small, large, '']) expect((await images.pushBlob('blobs', bytes)).status).toBe(201);
    const inline = await images.get(`blobs/blobs/${digestOf(small)}`);
    expect([inline.status, inline.text, inline.headers['docker-content-digest']]).toEqual([
      200,
      small,
      digestOf(small),
    ]);
    expect((await images.get(`blobs/blobs/${digestOf('')}`)).text).toBe('');
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers } = await images.send(method, `blobs/blobs/${digestOf(large)}`);
      expect([status, headers['docker-content-digest']]).toEqual([302, digestOf(large)]);
      const answer = await fetch(String(headers.location), { method });
      expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '300000']);
    }
  });

  itAnswers('404 FILE_NOT_FOUND for a blob of another image, another repository, or nobody', async () => {
    const bytes = uniqueName('bytes');
    await images.pushBlob('mine', bytes);
    const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
    return [
      await images.get(`other/blobs/${digestOf(bytes)}`),
      await images.get(`mine/blobs/${digestOf(bytes)}`, { repository: other }),
      await images.get(`mine/blobs/${digestOf('nobody')}`),
    ];
  });
});

describe('GET /v2/{workspace}/{repository}/{image}/tags/list', () => {
  it('lists the tags in order, page by page', async () => {
    const image = newImage();
    for (const tag of ['b', 'a', 'd', 'c']) await images.push('tagged', tag, image);
    const all = await images.get('tagged/tags/list');
    expect(JSON.parse(all.text)).toEqual({
      name: `${images.setting.workspace.name}/${images.setting.repository.name}/tagged`,
      tags: ['a', 'b', 'c', 'd'],
    });
    expect(all.headers.link).toBeUndefined();
    const first = await images.get('tagged/tags/list?n=3');
    expect(tagsOf(first.text)).toEqual(['a', 'b', 'c']);
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
    const second = await images.get(next);
    expect([tagsOf(second.text), second.headers.link]).toEqual([['d'], undefined]);
    expect(tagsOf((await images.get('tagged/tags/list?n=0')).text)).toEqual([]);
    expect(tagsOf((await images.get('tagged/tags/list?last=b')).text)).toEqual(['c', 'd']);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for an image that was never there', async () => images.get('nothing/tags/list'));
});

describe('What is not there', () => {
  it.each([
    ['a manifest', 'coded/manifests/2.0', 'MANIFEST_UNKNOWN'],
    ['a manifest by its digest', `coded/manifests/${digestOf('x')}`, 'MANIFEST_UNKNOWN'],
    ['a manifest of an unknown image', 'nothing/manifests/1.0', 'MANIFEST_UNKNOWN'],
    ['a blob', `coded/blobs/${digestOf('x')}`, 'BLOB_UNKNOWN'],
    ['an upload', 'coded/blobs/uploads/00000000-0000-4000-8000-000000000000', 'BLOB_UPLOAD_UNKNOWN'],
    ['an image', 'nothing/tags/list', 'NAME_UNKNOWN'],
  ])('has the code of the specification: %s', async (_, path, code) => {
    await images.push('coded', '1.0');
    const { status, text } = await images.get(path);
    expect([status, JSON.parse(text)]).toEqual([
      404,
      expect.objectContaining({ errors: [expect.objectContaining({ code })] }),
    ]);
  });
});

describe('GET /v2/{workspace}/{repository}/{image}/referrers/{digest}', () => {
  it('lists the manifests about a subject, all or those of a type, and needs no subject', async () => {
    const { manifest } = await images.push('signed', '1');
    const subject = descriptorOf(manifest, imageMediaType);
    const artifact = newImage();
    const others = { subject, artifactType: 'application/x.signature', annotations: { who: 'me' } };
    const signature = await images.push('signed', 'signature', artifact, {}, others);
    const plain = await images.push('signed', 'plain', artifact, {}, { subject });
    const another = { subject: descriptorOf(newImage().config, imageMediaType) };
    await images.push('signed', 'another', newImage(), {}, another);
    const { text, headers } = await images.get(`signed/referrers/${subject.digest}`);
    expect(headers['content-type']).toBe(indexMediaType);
    const list = (JSON.parse(text) as { manifests: { digest: string }[] }).manifests;
    expect(list.map(({ digest }) => digest).toSorted()).toEqual([signature.digest, plain.digest].toSorted());
    const filtered = await images.get(`signed/referrers/${subject.digest}?artifactType=application/x.signature`);
    expect(filtered.headers['oci-filters-applied']).toBe('artifactType');
    expect(JSON.parse(filtered.text)).toEqual({
      schemaVersion: 2,
      mediaType: indexMediaType,
      manifests: [
        {
          mediaType: imageMediaType,
          digest: signature.digest,
          size: signature.manifest.length,
          artifactType: 'application/x.signature',
          annotations: { who: 'me' },
        },
      ],
    });
    await images.remove(`signed/manifests/${signature.digest}`);
    expect((await images.get(`signed/referrers/${subject.digest}`)).text).not.toContain(signature.digest);
    expect(JSON.parse((await images.get(`unknown/referrers/${subject.digest}`)).text)).toMatchObject({ manifests: [] });
    expect(manifestOf(artifact, { subject })).toBe(plain.manifest);
  });
});
