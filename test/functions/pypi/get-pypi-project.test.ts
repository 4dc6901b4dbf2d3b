import { getPypiProject } from '../../../functions/pypi/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { jsonPage, type Page, sdistName, usePythonRepository, wheelName, wheelOf } from '../../harness/pypi.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { refusing, serving } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const { service, upstream } = useRemotes();
const { get, page, publish, remote, virtual, setting } = usePythonRepository(service);

const project = async (path: string, headers: Readonly<Record<string, string>> = {}, repository = setting.repository) =>
  service.client.sendTo(getPypiProject, {
    path: `/pypi/${setting.workspace.name}/${repository.name}/pypi/${path}`,
    headers: Object.entries({ Authorization: setting.admin.bearer, ...headers }),
  });

/** Metadata as pip-tools reads them. */
interface ProjectJson {
  readonly info: Readonly<Record<string, unknown>>;
  readonly releases?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly urls: readonly Readonly<Record<string, unknown>>[];
}

const jsonOf = async (path: string, repository?: Named): Promise<ProjectJson> => {
  const { status, text } = await project(path, {}, repository);
  if (status !== 200) throw new Error(`${path} is not there: ${text}`);
  return JSON.parse(text) as ProjectJson;
};

const fileOf = (name: string, version: string, fields: object = {}) => ({
  filename: wheelName({ name, version }),
  url: `../../packages/${wheelName({ name, version })}`,
  hashes: { sha256: sha256(wheelOf({ name, version })) },
  ...fields,
});

/** The upstream has one project, with these files. */
const serve = (name: string, files: readonly object[]): void => {
  const sent = JSON.stringify({ meta: { 'api-version': '1.0' }, name, files });
  upstream.answer = (request, response) =>
    (request.url === `/simple/${name}/` ? serving(sent) : refusing(404))(request, response);
};

describe('GET /pypi/{workspace}/{repository}/pypi/{project}/json', () => {
  itAnswers('200 with each release and the hashes of its files, in order', async () => {
    const name = uniqueName('project');
    const wheels = [];
    for (const version of ['1.10.0', '1.9.0', '2.0.0rc1'])
      wheels.push(await publish({ name, version, requiresPython: '>=3.9' }));
    const spelled = name.replaceAll('-', '_').toUpperCase();
    const answers = [await project(`${spelled}/json`), await project(`${name}/json`)];
    const { info, releases = {}, urls } = JSON.parse(answers[0]?.text ?? '') as ProjectJson;
    expect(answers.map(({ text }) => text)).toEqual([answers[0]?.text, answers[0]?.text]);
    expect(Object.keys(releases)).toEqual(['1.9.0', '1.10.0', '2.0.0rc1']);
    expect(info).toEqual({ name, version: '1.10.0', requires_python: '>=3.9', yanked: false, yanked_reason: null });
    expect(urls).toEqual(releases['1.10.0']);
    const file = wheelName({ name, version: '1.10.0' });
    expect(urls).toEqual([
      expect.objectContaining({
        filename: file,
        packagetype: 'bdist_wheel',
        python_version: 'py3',
        digests: { sha256: sha256(wheels[0] ?? '') },
        size: wheels[0]?.length,
        requires_python: '>=3.9',
        yanked: false,
      }),
    ]);
    const { pathname } = new URL(String(urls[0]?.url));
    expect(pathname).toBe(`/pypi/${setting.workspace.name}/${setting.repository.name}/files/${name}/1.10.0/${file}`);
    return answers;
  });

  itAnswers('200 with one version, in whatever spelling', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0rc1' });
    await publish({ name, version: '2.0' });
    const answers = [await project(`${name}/1.0rc1/json`), await project(`${name}/v1.0-RC1/json`)];
    for (const { text } of answers) {
      const { info, releases, urls } = JSON.parse(text) as ProjectJson;
      expect([info.version, releases, urls.length]).toEqual(['1.0rc1', undefined, 1]);
    }
    return answers;
  });

  it('answers HEAD as GET, without the body', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0' });
    for (const path of [`${name}/json`, `${name}/1.0/json`]) {
      const { headers, text } = await project(path);
      const answer = await service.client.raw({
        method: 'HEAD',
        path: `/pypi/${setting.workspace.name}/${setting.repository.name}/pypi/${path}`,
        headers: [['Authorization', setting.admin.bearer]],
      });
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers).toMatchObject({ etag: headers.etag, 'content-length': String(Buffer.byteLength(text)) });
    }
  });

  itAnswers('304 for a client that has it, and not for another version', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0' });
    await publish({ name, version: '2.0' });
    const { headers } = await project(`${name}/1.0/json`);
    const known = { 'If-None-Match': String(headers.etag) };
    const others = [await project(`${name}/2.0/json`, known), await project(`${name}/json`, known)];
    expect(others.map(({ status }) => status)).toEqual([200, 200]);
    return project(`${name}/1.0/json`, known);
  });

  it('has what a remote repository has, without the releases whose hashes nobody knows', async () => {
    const name = uniqueName('project');
    const sdist = { filename: sdistName({ name, version: '3.0' }), url: 'x', hashes: { sha256: 'a'.repeat(64) } };
    serve(name, [
      fileOf(name, '1.0', { yanked: 'broken' }),
      fileOf(name, '2.0', { hashes: {} }),
      fileOf(name, '3.0'),
      sdist,
      { filename: 'other.txt', url: 'y', hashes: {} },
    ]);
    const { info, releases = {} } = await jsonOf(`${name}/json`, await remote({ remoteRepositoryUrl: upstream.url }));
    expect(
      Object.entries(releases).map(([version, files]) => [version, files.map((each) => each.packagetype)]),
    ).toEqual([
      ['1.0', ['bdist_wheel']],
      ['3.0', ['bdist_wheel', 'sdist']],
    ]);
    expect(releases['1.0']?.[0]).toMatchObject({ yanked: true, yanked_reason: 'broken' });
    expect(info.version).toBe('3.0');
    expect(upstream.requests.map(({ url }) => url)).toEqual([`/simple/${name}/`]);
  });

  it('has the releases of all children of a virtual repository, and asks no upstream for a name held here', async () => {
    const [name, held] = [uniqueName('project'), uniqueName('project')];
    serve(name, [fileOf(name, '1.0')]);
    await publish({ name: held, version: '1.0' });
    const joined = await virtual([setting.repository, await remote({ remoteRepositoryUrl: upstream.url })]);
    expect(Object.keys((await jsonOf(`${name}/json`, joined)).releases ?? {})).toEqual(['1.0']);
    expect(Object.keys((await jsonOf(`${held}/json`, joined)).releases ?? {})).toEqual(['1.0']);
    expect(upstream.requests.map(({ url }) => url)).toEqual([`/simple/${name}/`]);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for an unknown project', async () => project(`${uniqueName('project')}/json`));

  itAnswers('200 with an equal version, and with the exact one where an upstream has both', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0.0' });
    const answers = await Promise.all(['1', '1.0', '1.0.0.0'].map(async (each) => project(`${name}/${each}/json`)));
    for (const { text } of answers) expect((JSON.parse(text) as ProjectJson).info.version).toBe('1.0.0');
    const both = uniqueName('project');
    serve(both, [fileOf(both, '1.0'), fileOf(both, '1.0.0')]);
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    for (const version of ['1.0', '1.0.0'])
      expect((await jsonOf(`${both}/${version}/json`, repository)).info.version).toBe(version);
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for an unknown version, and for one of which hashes are missing', async () => {
    const [name, unhashed] = [uniqueName('project'), uniqueName('project')];
    await publish({ name, version: '1.0' });
    serve(unhashed, [fileOf(unhashed, '1.0', { hashes: {} })]);
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    const answers = [
      await project(`${name}/2.0/json`),
      await project(`${unhashed}/2.0/json`, {}, repository),
      await project(`${unhashed}/1.0/json`, {}, repository),
      await project(`${unhashed}/json`, {}, repository),
    ];
    expect(answers.map(({ problem }) => problem?.detail)).toEqual([
      `'${name}' has no version 2.0.`,
      `'${unhashed}' has no version 2.0.`,
      `'${unhashed}' has no version 1.0 whose files all have a SHA-256.`,
      `'${unhashed}' has no version whose files all have a SHA-256.`,
    ]);
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for what has no such form', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0' });
    return Promise.all(
      [name, `${name}/json/`, `${name}/1.0`, `${name}/one/json`, `${name}/1.0/json/x`, '-x/json'].map((path) =>
        project(path),
      ),
    );
  });
});

describe('GET /pypi/{workspace}/{repository}/{project}/json', () => {
  itAnswers('302 to the metadata from each address at which a version of pip-tools looks for them', async () => {
    const name = uniqueName('project');
    const at = `/pypi/${setting.workspace.name}/${setting.repository.name}/pypi/${name}`;
    const spelled = name.toUpperCase();
    const answers = [
      await get(`${spelled}/json`),
      await get(`simple/pypi/${name}/json`),
      await get(`${name}/v1.0/json`),
    ];
    expect(answers.map(({ headers }) => new URL(String(headers.location)).pathname)).toEqual([
      `${at.replace(name, spelled)}/json`,
      `${at}/json`,
      `${at}/v1.0/json`,
    ]);
    return answers;
  });

  it('leaves the pages and the files of projects of any name as they are', async () => {
    const each = { name: 'json', version: '1.0' };
    await publish(each);
    expect((await page('json')).files).toHaveLength(1);
    expect((await get(`files/json/1.0/${wheelName(each)}`)).status).toBe(200);
    expect((await get('simple/json')).headers.location).toMatch(/\/simple\/json\/$/);
  });
});

it('GET /pypi/{workspace}/{repository}/+simple/{project}/ is the page where hatch looks for it', async () => {
  const name = uniqueName('project');
  await publish({ name, version: '1.0.0' });
  for (const path of [`+simple/${name}/`, `%2Bsimple/${name}/`]) {
    const { status, text } = await get(path, { headers: { Accept: jsonPage } });
    expect([status, (JSON.parse(text) as Page).files]).toEqual([200, (await page(name)).files]);
  }
});
