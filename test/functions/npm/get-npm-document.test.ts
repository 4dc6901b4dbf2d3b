import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { publishVersions } from '../../harness/package-store.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const registry = useNpmRegistry(service);

interface Packument {
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, { readonly dist: { readonly tarball: string } }>>;
  readonly time?: Readonly<Record<string, string>>;
}

const packumentOf = ({ text }: { readonly text: string }): Packument => JSON.parse(text) as Packument;

describe('GET /npm/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 with the packument, its tarballs at the address that was asked', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    for (const repository of [registry.local, registry.virtual]) {
      const { 'dist-tags': tags, versions } = packumentOf(await registry.get(name, { repository }));
      expect(tags).toEqual({ latest: '1.0.0' });
      expect(versions['1.0.0']?.dist.tarball).toBe(
        `${service.runner.url}/npm/${registry.workspace.name}/${repository.name}/${name}/-/${name}-1.0.0.tgz`,
      );
    }
    return registry.get(name);
  });

  it('shows the abbreviated form to who accepts it, and the full one to others', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    const accept = ['Accept', 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'] as const;
    const { headers, text } = await registry.get(name, { headers: [accept] });
    expect(headers['content-type']).toBe('application/vnd.npm.install-v1+json');
    expect(packumentOf({ text }).time).toBeUndefined();
    expect(packumentOf(await registry.get(name)).time).toMatchObject({ '1.0.0': expect.any(String) });
  });

  itAnswers('200 for a scoped package in each of its spellings', async () => {
    const name = `@acme/${uniqueName('package')}`;
    await registry.publish(name);
    return Promise.all([name, name.replace('/', '%2f'), name.replace('/', '%2F')].map((tail) => registry.get(tail)));
  });

  it('answers 304 to who has the document, and anew after a publish', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    const { headers } = await registry.get(name);
    const known = ['If-None-Match', String(headers.etag)] as const;
    expect((await registry.get(name, { headers: [known] })).status).toBe(304);
    await registry.publish(name, '1.0.1');
    const { status, text } = await registry.get(name, { headers: [known] });
    expect(status).toBe(200);
    expect(Object.keys(packumentOf({ text }).versions)).toEqual(['1.0.0', '1.0.1']);
  });

  it('serves the tarball byte for byte, through the virtual repository too', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    for (const repository of [registry.local, registry.virtual]) {
      const { text, headers } = await registry.get(`${name}/-/${name}-1.0.0.tgz`, { repository });
      expect(text).toBe(`the tarball of ${name} 1.0.0`);
      expect(headers['x-stockroom-origin']).toBe(registry.local.name);
    }
  });

  it('shows one version by its number and by a tag', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    for (const tail of [`${name}/1.0.0`, `${name}/latest`])
      expect(JSON.parse((await registry.get(tail)).text)).toMatchObject({ name, version: '1.0.0' });
  });

  it('shows every version of an index that was compacted', async () => {
    const name = uniqueName('package');
    await publishVersions(registry.workspace, registry.local, name, 80);
    expect(Object.keys(packumentOf(await registry.get(name)).versions)).toHaveLength(80);
  }, 60_000);

  itAnswers('404 PACKAGE_NOT_FOUND for a package that nobody published', async () => {
    const answer = await registry.get(uniqueName('package'));
    expect(answer.text).toContain('"error"');
    return answer;
  });
  itAnswers('404 VERSION_NOT_FOUND for a version that there is not', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    return [await registry.get(`${name}/9.9.9`), await registry.get(`${name}/nightly`)];
  });
  itAnswers('404 FILE_NOT_FOUND for a file that there is not, and for a path that names nothing', async () =>
    Promise.all(['nothing/-/nothing-1.0.0.tgz', '..%2f..', 'a%2fb%2fc', '%00'].map((tail) => registry.get(tail))),
  );
  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () => {
    const repository = await service.world.repository(registry.workspace, uniqueName('files'), 'universal');
    return registry.get('anything', { repository });
  });
});
