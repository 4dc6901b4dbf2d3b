import { setTimeout as pause } from 'node:timers/promises';
import { getGoFile } from '../../../functions/go/contracts.ts';
import { fetchChecked } from '../../harness/client.ts';
import { escaped, type GoPlace, getPath, moduleZip, putModule } from '../../harness/go.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { deleteVersionOf, goFormat } from '../../harness/package-formats.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let repository: Named;
let place: GoPlace;

beforeAll(async () => {
  workspace = await service.world.workspace();
  const admin = await service.world.systemAdmin();
  repository = await service.world.repository(workspace, undefined, 'go');
  place = { workspace, repository, as: admin.bearer };
});

const published = async (...versions: string[]): Promise<string> => {
  const name = `corp.example/${uniqueName('module')}`;
  for (const version of versions) {
    const zip = moduleZip(name, version, version.endsWith('+incompatible') ? { 'go.mod': undefined, x: '' } : {});
    const { status, text } = await putModule(service, place, { name, version, zip });
    if (status !== 201) throw new Error(text);
  }
  return name;
};

const get = (path: string, at = place) => getPath(service, at, path);

const infoOf = async (path: string): Promise<{ Version: string; Time: string }> =>
  JSON.parse((await get(path)).text) as { Version: string; Time: string };

const pseudo = 'v1.3.1-0.20260102030405-abcdefabcdef';

describe('GET /go/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 with the versions by their order, without pseudo-versions', async () => {
    const name = await published('v1.10.0', pseudo, 'v1.9.0', 'v1.10.0-rc.1', 'v2.0.0+incompatible');
    const answer = await get(`${name}/@v/list`);
    expect(answer.text).toBe('v1.9.0\nv1.10.0-rc.1\nv1.10.0\nv2.0.0+incompatible\n');
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    return answer;
  });

  it('answers with the highest release as the latest version', async () => {
    const name = await published('v1.10.0', 'v1.9.0', 'v1.11.0-rc.1', pseudo);
    expect(await infoOf(`${name}/@latest`)).toMatchObject({ Version: 'v1.10.0' });
    const pseudos = await published('v0.0.0-20260102030405-abcdefabcdef', 'v0.0.0-20260102030406-000000000000');
    expect(await infoOf(`${pseudos}/@latest`)).toMatchObject({ Version: 'v0.0.0-20260102030406-000000000000' });
    expect((await get(`${pseudos}/@v/list`)).text).toBe('');
  });

  it('answers with the version and the time of its publication', async () => {
    const before = Date.now();
    const name = await published('v1.0.0');
    const { Version, Time } = await infoOf(`${name}/@v/v1.0.0.info`);
    expect(Version).toBe('v1.0.0');
    expect(Date.parse(Time)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(Time)).toBeLessThanOrEqual(Date.now());
    expect(await infoOf(`${name}/@latest`)).toEqual({ Version, Time });
  });

  it('serves the zip byte for byte, with the type of a zip and a 304 for who has it', async () => {
    const name = `corp.example/${uniqueName('module')}`;
    const zip = moduleZip(name, 'v1.0.0', { 'x.go': 'package x' });
    await putModule(service, place, { name, version: 'v1.0.0', zip });
    const path = `/go/${workspace.name}/${repository.name}/${name}/@v/v1.0.0.zip`;
    const answer = await fetchChecked(getGoFile, service.runner.url + path, { Authorization: place.as });
    expect(Buffer.from(await answer.arrayBuffer()).equals(zip)).toBe(true);
    expect(answer.headers.get('content-type')).toBe('application/zip');
    const headers = { Authorization: place.as, 'If-None-Match': answer.headers.get('etag') ?? '' };
    expect((await fetchChecked(getGoFile, service.runner.url + path, headers)).status).toBe(304);
  });

  it('reads capitals only as they are escaped', async () => {
    const name = `corp.example/Acme/${uniqueName('Module')}`;
    await putModule(service, place, { name, version: 'v1.0.0-RC1' });
    const statuses = await Promise.all(
      [
        `${escaped(name)}/@v/v1.0.0-!r!c1.info`,
        `${name.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)}/%40v/list`,
        `${name}/@v/list`,
        `${name.toLowerCase()}/@v/list`,
        `${escaped(name)}/@v/v1.0.0-RC1.info`,
        `${escaped(name)}/@v/v1.0.0-rc1.info`,
      ].map(async (path) => (await get(path)).status),
    );
    expect(statuses).toEqual([200, 200, 404, 404, 404, 404]);
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a module that is not there, by one read of the table', async () => {
    const { as } = place;
    const answers = [await get('corp.example/none/@v/list'), await get('corp.example/none/@latest')];
    service.proxy.forget();
    answers.push(await get('corp.example/none/@v/list', { ...place, as }));
    expect(service.proxy.calls.filter(({ functionId }) => functionId === 'go/get-go-file')).toHaveLength(1);
    return answers;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there, and for a branch', async () => {
    const name = await published('v1.0.0');
    const files = ['v1.0.1.info', 'v1.0.1.mod', 'v1.0.1.zip', 'master.info', 'v1.info', 'v2.0.0.info'];
    return Promise.all(files.map((file) => get(`${name}/@v/${file}`)));
  });

  itAnswers('404 FILE_NOT_FOUND for what is no path of a module proxy', async () => {
    const name = await published('v1.0.0');
    const paths = [
      name,
      'nodot/@v/list',
      `${name}/@v/list.txt`,
      `${name}/@v/v1.0.zip`,
      `${name}/@v/..%2f..%2fv1.0.0.zip`,
      `${name.replace('/', '%2f')}/@v/list`,
      `corp.example/!!x/@v/list`,
      'sumdb/sum.golang.org/supported',
      'sumdb/sum.golang.org/unknown',
    ];
    return Promise.all(paths.map((path) => get(path)));
  });

  it('tells go in plain text why it refuses', async () => {
    const answer = await fetch(
      `${service.runner.url}/go/${workspace.name}/${repository.name}/corp.example/no/@v/list`,
      {
        headers: { Authorization: place.as, 'User-Agent': 'Go-http-client/1.1' },
      },
    );
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      404,
      'text/plain; charset=utf-8',
      "There is no module 'corp.example/no' in this repository.\n",
    ]);
  });

  it('forgets a deleted version, which the same bytes bring back with a new time', async () => {
    const name = await published('v1.0.0', 'v1.1.0');
    const before = await infoOf(`${name}/@v/v1.0.0.info`);
    const address = { ...place, workspace, name, version: '1.0.0' };
    expect((await deleteVersionOf(service, goFormat, address)).status).toBe(200);
    expect((await get(`${name}/@v/v1.0.0.info`)).status).toBe(404);
    expect((await get(`${name}/@v/list`)).text).toBe('v1.1.0\n');
    await pause(2);
    expect((await putModule(service, place, { name, version: 'v1.0.0' })).status).toBe(201);
    const after = await infoOf(`${name}/@v/v1.0.0.info`);
    expect(Date.parse(after.Time)).toBeGreaterThan(Date.parse(before.Time));
  });

  it('combines local repositories: the versions of all, each file from the first that has the version', async () => {
    const second = await service.world.repository(workspace, undefined, 'go');
    const virtual = await createVirtual(service, workspace, [repository, second], { packageType: 'go' });
    const name = `corp.example/${uniqueName('module')}`;
    const places = { first: place, second: { ...place, repository: second } };
    const zips = ['ours', 'theirs'].map((content) => moduleZip(name, 'v1.1.0', { 'x.go': `// ${content}` }));
    await putModule(service, places.first, { name, version: 'v1.1.0', zip: zips[0] });
    await putModule(service, places.second, { name, version: 'v1.1.0', zip: zips[1] });
    await putModule(service, places.second, { name, version: 'v1.2.0' });
    const through = { ...place, repository: virtual };
    expect((await get(`${name}/@v/list`, through)).text.split('\n').toSorted()).toEqual(['', 'v1.1.0', 'v1.2.0']);
    const { text, headers } = await get(`${name}/@v/v1.1.0.info`, through);
    expect(text).toBe((await get(`${name}/@v/v1.1.0.info`)).text);
    expect(headers['x-stockroom-origin']).toBe(repository.name);
    expect((await get(`${name}/@v/v1.1.0.zip`, through)).headers.etag).toBe(
      (await get(`${name}/@v/v1.1.0.zip`)).headers.etag,
    );
    expect((await get(`${name}/@v/v1.2.0.mod`, through)).text).toBe(`module ${name}\n`);
  });
});
