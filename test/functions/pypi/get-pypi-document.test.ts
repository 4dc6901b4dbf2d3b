import { deletePackageVersion, publishPackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import {
  jsonPage,
  type Page,
  sdistName,
  sdistOf,
  usePythonRepository,
  wheelName,
  wheelOf,
} from '../../harness/pypi.ts';
import { useService } from '../../harness/service.ts';
import { formOf, useUploads } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const python = usePythonRepository(service);
const { setting, get, page, publish } = python;

const html = { Accept: 'text/html' };

/** What pip sends. */
const pipAccepts = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01';

describe('GET /pypi/{workspace}/{repository}/simple/{project}/', () => {
  itAnswers('200 in the form that the client prefers', async () => {
    const each = { name: uniqueName('project'), version: '1.0.0', requiresPython: '>=3.9' };
    const wheel = await publish(each);
    const path = `simple/${each.name}/`;
    const [json, legacy, plain] = [
      await get(path, { headers: { Accept: pipAccepts } }),
      await get(path, { headers: html }),
      await get(path),
    ];
    expect([json, legacy, plain].map(({ headers }) => headers['content-type'])).toEqual([
      jsonPage,
      'text/html; charset=utf-8',
      'text/html; charset=utf-8',
    ]);
    expect(json.headers.vary).toContain('Accept');
    const [file] = (JSON.parse(json.text) as Page).files as [
      { hashes: { sha256: string }; 'core-metadata': { sha256: string } },
    ];
    const metadata = `sha256=${file['core-metadata'].sha256}`;
    expect(legacy.text).toContain(
      `<a href="../../files/${each.name}/1.0.0/${wheelName(each)}#sha256=${file.hashes.sha256}" data-requires-python="&gt;=3.9" data-dist-info-metadata="${metadata}" data-core-metadata="${metadata}"`,
    );
    const download = await get(`files/${each.name}/1.0.0/${wheelName(each)}`, { method: 'HEAD' });
    expect(download.headers['content-length']).toBe(String(wheel.length));
    return [json, legacy, plain];
  });

  it('shows a field of METADATA that goes on in the next lines as one', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0.0', requiresPython: '>=3.9,\n  !=3.10.0,\r\n\t<4' });
    const { text } = await get(`simple/${name}/`, { headers: { Accept: jsonPage } });
    expect((JSON.parse(text) as Page).files).toMatchObject([{ 'requires-python': '>=3.9, !=3.10.0, <4' }]);
  });

  it('304 for a client that has the page already, in that form only', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0.0' });
    const { headers } = await get(`simple/${name}/`, { headers: { Accept: jsonPage } });
    const known = { 'If-None-Match': String(headers.etag) };
    expect((await get(`simple/${name}/`, { headers: { ...known, Accept: jsonPage } })).status).toBe(304);
    expect((await get(`simple/${name}/`, { headers: { ...known, ...html } })).status).toBe(200);
    await publish({ name, version: '1.0.1' });
    expect((await get(`simple/${name}/`, { headers: { ...known, Accept: jsonPage } })).status).toBe(200);
  });

  it('302 to the address with its slash, below which the links are right', async () => {
    const name = uniqueName('project');
    await publish({ name, version: '1.0.0' });
    const { status, headers } = await get(`simple/${name}`);
    expect([status, headers.location]).toEqual([
      302,
      `${service.runner.url}/pypi/${setting.workspace.name}/${setting.repository.name}/simple/${name}/`,
    ]);
  });

  it('serves every spelling of a name', async () => {
    const name = uniqueName('Some.Project');
    await publish({ name, version: '1.0.0' });
    const spellings = [name, name.toLowerCase(), name.replace('.', '---'), name.replace('.', '_').toUpperCase()];
    for (const spelling of spellings) expect((await page(spelling)).name).toBe(name.replace('.', '-').toLowerCase());
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a project that nobody has published', async () => get('simple/nothing/'));

  itAnswers('404 FILE_NOT_FOUND for a path that is no address, and says where the index is', async () => {
    const answers = await Promise.all(
      [
        'nothing',
        'nothing/',
        'simple/a%20b/',
        'simple/a/b/',
        'simple/%2e%2e/',
        'files/a/1.0/a-2.0.zip',
        'files/a/1.0',
        'files/a/1.0/a-1.0.zip/',
      ].map(async (path) => get(path)),
    );
    for (const { problem } of answers) expect(problem?.detail).toContain('The index is below simple/: ');
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for a file that was deleted with its version', async () => {
    const each = { name: uniqueName('project'), version: '1.0.0' };
    await publish(each);
    await publish({ ...each, version: '2.0.0' });
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: each.name };
    await service.client.succeed(deletePackageVersion, {
      params: { ...params, version: '1.0.0' },
      as: setting.admin.bearer,
    });
    expect((await page(each.name)).versions).toEqual(['2.0.0']);
    const path = `files/${each.name}/1.0.0/${wheelName(each)}`;
    return [await get(path), await get(`${path}.metadata`)];
  });
});

describe('GET /pypi/{workspace}/{repository}/simple/', () => {
  it('lists the projects of all children of a virtual repository once, in both forms', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => service.world.repository(setting.workspace, undefined, 'pypi')),
    );
    if (!one || !two) throw new Error('There are no repositories.');
    const names = [uniqueName('a'), uniqueName('b')];
    for (const repository of [one, two])
      for (const name of names) await publish({ name, version: '1.0.0' }, { repository });
    const repository = await python.virtual([one, two]);
    const { text } = await get('simple/', { repository, headers: { Accept: jsonPage } });
    expect(JSON.parse(text)).toEqual({ meta: { 'api-version': '1.3' }, projects: names.map((name) => ({ name })) });
    const { text: links } = await get('simple/', { repository, headers: html });
    expect(links).toContain(names.map((name) => `<a href="${name}/">${name}</a><br>\n`).join(''));
    expect((await get('simple', { repository })).status).toBe(302);
  });
});

describe('Files that do not come from twine', () => {
  const uploads = useUploads(service, {
    get repository() {
      return setting.repository;
    },
    get admin() {
      return setting.admin;
    },
    params: (fields: object) => ({ workspace: setting.workspace.id, ...fields }),
  } as Parameters<typeof useUploads>[1]);

  it('are published with one form, several of a version together', async () => {
    const each = { name: uniqueName('Project'), version: '1.0.0' };
    const bytes = formOf([
      { file: wheelName(each), content: wheelOf(each) },
      { file: sdistName(each), content: await sdistOf(each) },
    ]);
    const params = { workspace: setting.workspace.id, repository: setting.repository.id };
    const { status } = await service.client.attempt(publishPackage, { params, bytes, as: setting.admin.bearer });
    const { files, versions } = await page(each.name);
    expect([status, versions, files.map(({ filename }) => filename)]).toEqual([
      201,
      ['1.0.0'],
      [wheelName(each), sdistName(each)],
    ]);
  });

  it('are refused with one form, if they are of two versions', async () => {
    const name = uniqueName('project');
    const all = ['1.0.0', '1.0.1'].map((version) => ({ name, version }));
    const bytes = formOf(all.map((each) => ({ file: wheelName(each), content: wheelOf(each) })));
    const params = { workspace: setting.workspace.id, repository: setting.repository.id };
    const { code } = await service.client.attempt(publishPackage, { params, bytes, as: setting.admin.bearer });
    expect([code, (await get(`simple/${name}/`)).status]).toEqual(['PACKAGE_INVALID', 404]);
  });

  it('are published by an upload session, also beyond what a request takes', async () => {
    const each = { name: uniqueName('project'), version: '1.0.0', content: 'x'.repeat(9_000_000) };
    const session = await uploads.arrived({ [wheelName(each)]: wheelOf(each) }, { isNamed: false });
    const { status } = await uploads.complete(session.id);
    const [file] = (await page(each.name)).files;
    expect([status, file?.size]).toEqual([201, wheelOf(each).length]);
    const metadata = await get(`files/${each.name}/1.0.0/${wheelName(each)}.metadata`);
    expect(metadata.text).toContain(`Name: ${each.name}`);
  });
});
