import { deletePackage, deletePackageVersion } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { packageZip, pathOfFile, useComposer } from '../../types/composer.ts';

const service = useService();
const { setting, get, published, versions, urlOf } = useComposer(service);

interface Root {
  readonly 'metadata-url': string;
  readonly 'available-package-patterns'?: readonly string[];
  readonly [member: string]: unknown;
}

const root = async (repository?: Named): Promise<Root> =>
  JSON.parse((await get('packages.json', repository && { repository })).text) as Root;

const newRepository = async (): Promise<Named> => service.world.repository(setting.workspace, undefined, 'composer');

const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'composer' });

const deleteVersion = async (name: string, version: string): Promise<void> => {
  const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: name, version };
  await service.client.succeed(deletePackageVersion, { params, as: setting.admin.bearer });
};

describe('GET /composer/{workspace}/{repository}/packages.json', () => {
  it('has the addresses of the repository that was asked, and nothing of Composer 1', async () => {
    const url = urlOf('').slice(0, -1);
    expect(await root()).toEqual({
      packages: [],
      'metadata-url': `${url}/p2/%package%.json`,
      search: `${url}/search.json?q=%query%&type=%type%`,
      list: `${url}/list.json`,
    });
  });

  it('names the vendors of a local repository, also a new one at once, so that nobody asks for other names', async () => {
    const repository = await newRepository();
    for (const name of ['one/a', 'one/b', 'two/a']) await published({ name }, { repository });
    expect((await root(repository))['available-package-patterns']).toEqual(['one/*', 'two/*']);
    await published({ name: 'three/a' }, { repository });
    expect((await root(repository))['available-package-patterns']).toEqual(['one/*', 'three/*', 'two/*']);
    const params = { workspace: setting.workspace.id, repository: repository.id, package: 'two/a' };
    await service.client.succeed(deletePackage, { params, as: setting.admin.bearer });
    expect((await root(repository))['available-package-patterns']).toEqual(['one/*', 'three/*']);
  });

  it('names none of a virtual repository', async () => {
    const repository = await newRepository();
    await published({}, { repository });
    expect((await root(await virtualOver(repository)))['available-package-patterns']).toBeUndefined();
  });
});

describe('GET /composer/{workspace}/{repository}/p2/{vendor}/{project}.json', () => {
  it('has the stable versions, the newest first, and the other document those of development', async () => {
    const all = ['1.0.0', '1.10.0', '1.9.0', '1.10.0-RC1', 'dev-main', '1.x-dev', '2.0.0-beta1-dev'];
    const name = await published({ version: '0.1.0' });
    for (const version of all) await published({ name, version });
    const shown = async (path: string) => (await versions(path)).map(({ version }) => version);
    expect(await shown(name)).toEqual(['1.10.0', '1.10.0-RC1', '1.9.0', '1.0.0', '0.1.0']);
    expect(await shown(`${name}~dev`)).toEqual(['2.0.0-beta1-dev', '1.x-dev', 'dev-main']);
    const { text } = await get(`p2/${name}.json`);
    const { packages, minified } = JSON.parse(text) as { packages: Record<string, object[]>; minified: string };
    expect([minified, packages[name]?.map((each) => 'description' in each)]).toEqual([
      'composer/2.0',
      [true, false, false, false, false],
    ]);
  });

  it('has an empty list of the stability that a package lacks', async () => {
    const name = await published({ version: 'dev-main' });
    expect(await versions(name)).toEqual([]);
  });

  it('is found under the name in any case', async () => {
    const name = await published();
    expect((await get(`p2/${name.toUpperCase()}.json`)).status).toBe(200);
  });

  it('has another date for each revision, even within a second, and is not sent again to who has that date', async () => {
    const name = await published();
    const path = `p2/${name}.json`;
    const dateOf = async () => String((await get(path)).headers['last-modified']);
    const ask = async (date: string, headers = {}) =>
      (await get(path, { headers: { 'If-Modified-Since': date, ...headers } })).status;
    const first = await dateOf();
    expect(await dateOf()).toBe(first);
    expect([await ask(first), await ask(new Date(Date.now() + 86_400_000).toUTCString())]).toEqual([304, 200]);
    const dates = new Set([first]);
    for (const version of ['1.0.1', '1.0.2', '1.0.3']) {
      await published({ name, version });
      dates.add(await dateOf());
      expect(await ask(first)).toBe(200);
    }
    await deleteVersion(name, '1.0.3');
    dates.add(await dateOf());
    expect([dates.size, [...dates].every((date) => Date.parse(date) < Date.now())]).toEqual([5, true]);
    const last = await dateOf();
    // A tag says more than a date.
    expect([await ask(last), await ask(last, { 'If-None-Match': '"other"' })]).toEqual([304, 200]);
  });

  it('has another date for each document, and each repository in the address', async () => {
    const name = await published();
    const virtual = await virtualOver(setting.repository);
    const answers = [
      await get(`p2/${name}.json`),
      await get(`p2/${name}~dev.json`),
      await get(`p2/${name}.json`, { repository: virtual }),
    ];
    expect(new Set(answers.map(({ headers }) => headers['last-modified'])).size).toBe(3);
  });

  it('has each version from the first repository that has it, under the address that was asked', async () => {
    const other = await newRepository();
    const name = await published({ content: 'first' });
    await published({ name, content: 'second' }, { repository: other });
    await published({ name, version: '1.1.0', content: 'second' }, { repository: other });
    const virtual = await virtualOver(setting.repository, other);
    const shown = await versions(name, { repository: virtual });
    expect(shown.map(({ version }) => version)).toEqual(['1.1.0', '1.0.0']);
    for (const { version, dist } of shown) {
      expect(dist?.url).toBe(urlOf(pathOfFile(name, version), virtual));
      const file = await fetch(dist?.url ?? '', { headers: { Authorization: setting.admin.bearer } });
      expect(await file.text()).toContain(version === '1.0.0' ? '/*first*/' : '/*second*/');
    }
  });

  itAnswers('404 PACKAGE_NOT_FOUND for what is not there, and what was deleted', async () => {
    const name = await published();
    await deleteVersion(name, '1.0.0');
    return Promise.all([get(`p2/acme/${uniqueName()}.json`), get(`p2/${name}.json`), get(`p2/${name}~dev.json`)]);
  });

  itAnswers('404 FILE_NOT_FOUND for the path of nothing', async () =>
    Promise.all(
      ['p2/acme.json', 'p2/acme/app', 'p/acme/app.json', 'x', 'dist/acme/app'].map(async (path) => get(path)),
    ),
  );
});

describe('GET /composer/{workspace}/{repository}/dist/{vendor}/{project}/{version}/{file}', () => {
  it('sends a large file by a redirect that needs no credential, and HEAD with the length of a small one', async () => {
    const [large, small] = [`acme/${uniqueName('large')}`, `acme/${uniqueName('small')}`];
    for (const [name, content] of [
      [large, 'x'.repeat(300_000)],
      [small, 'x'],
    ] as const)
      await published({ name, content });
    const { status, headers } = await get(pathOfFile(large, '1.0.0'));
    expect([status, headers['last-modified']]).toEqual([302, undefined]);
    const bytes = Buffer.from(await (await fetch(String(headers.location))).arrayBuffer());
    expect(bytes.equals(packageZip({ name: large, version: '1.0.0', content: 'x'.repeat(300_000) }))).toBe(true);
    const head = await get(pathOfFile(small, '1.0.0'), { method: 'HEAD' });
    const { length } = packageZip({ name: small, version: '1.0.0', content: 'x' });
    expect([head.status, head.headers['content-length']]).toEqual([200, `${length}`]);
  });

  itAnswers('404 FILE_NOT_FOUND for what is not there', async () => {
    const name = await published();
    const paths = [pathOfFile(name, '1.0.1'), pathOfFile('acme/none', '1.0.0'), `dist/${name}/1.0.0/other.zip`];
    return Promise.all(paths.map(async (path) => get(path)));
  });
});
