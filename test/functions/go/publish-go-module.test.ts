import { randomBytes } from 'node:crypto';
import { listPackages } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { type GoPlace, getPath, moduleZip, putModule } from '../../harness/go.ts';
import { itAnswers } from '../../harness/it-answers.ts';
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

const newName = (): string => `corp.example/Team/${uniqueName('module')}`;

describe('PUT /go/{workspace}/{repository}/{path+}', () => {
  itAnswers('201 with what was stored, which the next read serves', async () => {
    const name = newName();
    const zip = moduleZip(name, 'v1.0.0', { 'main.go': 'package main' });
    const answer = await putModule(service, place, { name, version: 'v1.0.0', zip });
    expect(answer.result).toEqual({ module: name, version: 'v1.0.0', sizeInBytes: zip.length, sha256: sha256(zip) });
    const escaped = name.replace('Team', '!team');
    expect((await getPath(service, place, `${escaped}/@v/list`)).text).toBe('v1.0.0\n');
    expect((await getPath(service, place, `${escaped}/@v/v1.0.0.mod`)).text).toBe(`module ${name}\n`);
    return answer;
  });

  it('makes the go.mod of a module that has none', async () => {
    const name = newName();
    const version = 'v2.0.0+incompatible';
    const zip = moduleZip(name, version, { 'go.mod': undefined, 'x.go': 'package x' });
    expect((await putModule(service, place, { name, version, zip })).status).toBe(201);
    const { text } = await getPath(service, place, `${name.replace('Team', '!team')}/@v/${version}.mod`);
    expect(text).toBe(`module ${name}\n`);
  });

  itAnswers('409 VERSION_EXISTS for a version that is there, whatever its bytes', async () => {
    const name = newName();
    await putModule(service, place, { name, version: 'v1.0.0' });
    const zip = moduleZip(name, 'v1.0.0', { 'other.go': 'package other' });
    return [
      await putModule(service, place, { name, version: 'v1.0.0' }),
      await putModule(service, place, { name, version: 'v1.0.0', zip }),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for the zip of another version, and for what is no module zip', async () => {
    const name = newName();
    const version = 'v1.0.0';
    const zips = [moduleZip(name, 'v1.0.1'), moduleZip(`${name}/v2`, 'v2.0.0'), Buffer.from('no zip'), Buffer.alloc(0)];
    return Promise.all(zips.map((zip) => putModule(service, place, { name, version, zip })));
  });

  itAnswers('400 PACKAGE_INVALID for a path that is not the zip of a canonical version', async () => {
    const names = [
      ['nodot/module', 'v1.0.0'],
      ['corp.example/module', 'v1.0'],
      ['corp.example/module', 'v2.0.0'],
    ] as const;
    return Promise.all(
      names.map(([name, version]) => putModule(service, place, { name, version, zip: Buffer.from('x') })),
    );
  });

  itAnswers('400 REPOSITORY_READ_ONLY through a virtual repository without an upload target', async () => {
    const virtual = await createVirtual(service, workspace, [repository], { packageType: 'go' });
    return putModule(service, { ...place, repository: virtual }, { name: newName(), version: 'v1.0.0' });
  });

  it('publishes through a virtual repository to its upload target', async () => {
    const virtual = await createVirtual(service, workspace, [repository], {
      packageType: 'go',
      uploadLocalRepositoryId: repository.id,
    });
    const name = newName();
    const through = { ...place, repository: virtual };
    expect((await putModule(service, through, { name, version: 'v1.0.0' })).status).toBe(201);
    const path = `${name.replace('Team', '!team')}/@v/list`;
    expect((await getPath(service, place, path)).text).toBe('v1.0.0\n');
    expect((await getPath(service, through, path)).text).toBe('v1.0.0\n');
  });

  itAnswers('413 BODY_TOO_LARGE for a larger zip, with the way for it', async () => {
    const name = newName();
    const zip = moduleZip(name, 'v1.0.0', { 'data.txt': randomBytes(3_300_000).toString('base64') });
    expect(zip.length).toBeLessThan(4_500_000);
    expect((await putModule(service, place, { name, version: 'v1.0.0', zip })).status).toBe(201);
    return putModule(service, place, { name, version: 'v1.0.1', zip: Buffer.alloc(4_500_001) });
  });
});

describe('A module zip that comes without a path', () => {
  const send = (file: string, zip: Uint8Array) => {
    const form = new FormData();
    form.append('packageFiles', new Blob([new Uint8Array(zip)]), file);
    return fetch(`${service.runner.url}/1/workspaces/${workspace.id}/repositories/${repository.id}/packages/single`, {
      method: 'POST',
      headers: { Authorization: place.as },
      body: form,
    });
  };

  it('says its module and its version, and is listed under them', async () => {
    const name = newName();
    const answer = await send('module.zip', moduleZip(name, 'v1.2.3'));
    expect(answer.status).toBe(201);
    const params = { workspace: workspace.id, repository: repository.id };
    const listed = await service.client.succeed(listPackages, { params, query: { search: name }, as: place.as });
    expect(listed.packages).toMatchObject([{ name, displayName: name, latestVersion: 'v1.2.3', versionCount: 1 }]);
  });

  it('is refused if it is no zip', async () => {
    const answers = [await send('module.zip', Buffer.from('no zip')), await send('module.tgz', Buffer.from('no zip'))];
    expect(await Promise.all(answers.map(async (each) => [each.status, await each.text()]))).toEqual([
      [400, expect.stringContaining('The file is no zip, or it is damaged.')],
      [400, expect.stringContaining('one file that ends in .zip')],
    ]);
  });
});
