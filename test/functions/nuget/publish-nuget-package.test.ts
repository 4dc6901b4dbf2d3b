import { getNugetDocument, publishNugetPackage } from '../../../functions/nuget/contracts.ts';
import { getPackage, publishPackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { zipOf } from '../../harness/pypi.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';
import {
  contentIn,
  type FeedRequest,
  nupkgOf,
  nuspecOf,
  pushForm,
  symbolsOf,
  usePackageFeed,
} from '../../types/nupkgs.ts';

const service = useService();
const { setting, send, push } = usePackageFeed(service, 'nuget');

const publish = async (file: Uint8Array, request?: FeedRequest) =>
  push(publishNugetPackage, 'v3/package/', file, request);
const newId = (): string => uniqueName('Acme.Tool');
const withNuspec = (nuspec: string): Buffer => zipOf({ 'a.nuspec': nuspec });

describe('PUT /nuget/{workspace}/{repository}/v3/package', () => {
  itAnswers(
    '201 with ID and version, with and without a slash, for a file of any name, and for a body that is the package',
    async () => {
      const [id, content] = [newId(), 'bytes'];
      const first = await publish(nupkgOf({ id, version: '1.0.0' }));
      expect(first.result).toEqual({ id, version: '1.0.0' });
      const named = pushForm(nupkgOf({ id, version: '1.1.0' }), 'another');
      const headers = { 'Content-Type': named.mediaType };
      const plain = { 'Content-Type': 'application/octet-stream' };
      const answers = [
        first,
        await send(publishNugetPackage, 'v3/package', { headers, body: named.content }),
        await send(publishNugetPackage, 'v3/package', {
          headers: plain,
          body: nupkgOf({ id, version: '1.2.0', content }),
        }),
      ];
      const path = `v3/flat/${id}/1.2.0/${id}.1.2.0.nupkg`;
      expect(contentIn((await send(getNugetDocument, path)).text)).toBe(content);
      return answers;
    },
  );

  itAnswers(
    '409 VERSION_EXISTS for versions that differ in case, zeros or build metadata, and IDs that differ in case',
    async () => {
      const id = newId();
      await publish(nupkgOf({ id, version: '1.2.0-beta' }));
      const answers = [];
      for (const [each, version] of [
        [id, '1.2.0-beta'],
        [id, '1.02-Beta'],
        [id.toUpperCase(), '1.2.0.0-BETA+build.1'],
      ] as const)
        answers.push(await publish(nupkgOf({ id: each, version, content: 'other' })));
      return answers;
    },
  );

  it('keeps the spelling of the first publication for all versions, and counts one package', async () => {
    const id = newId();
    await publish(nupkgOf({ id, version: '1.0.0' }));
    expect((await publish(nupkgOf({ id: id.toUpperCase(), version: '2.0.0' }))).status).toBe(201);
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: id.toLowerCase() };
    const { result } = await service.client.attempt(getPackage, { params, as: setting.admin.bearer });
    expect(result).toMatchObject({ name: id.toLowerCase(), versionCount: 2 });
    const { text } = await send(getNugetDocument, `v3/registration/${id}/index.json`);
    expect(text).not.toContain(id.toUpperCase());
  });

  itAnswers('400 PACKAGE_INVALID for a nuspec that clients could not read, and for symbols', async () => {
    const id = newId();
    const answers = [
      await publish(withNuspec(nuspecOf({ id: 'a b', version: '1.0.0' }))),
      await publish(withNuspec(nuspecOf({ id: 'a'.repeat(101), version: '1.0.0' }))),
      await publish(withNuspec(nuspecOf({ id, version: '1.0.0.0.0' }))),
      await publish(withNuspec(nuspecOf({ id, version: '2147483648.0' }))),
      await publish(withNuspec(nuspecOf({ id, version: '1.0.0' }).replace('A package of a test', ''))),
      await publish(
        withNuspec(nuspecOf({ id, version: '1.0.0', elements: `<releaseNotes>${'x'.repeat(260_000)}</releaseNotes>` })),
      ),
      await publish(symbolsOf({ id, version: '1.0.0' })),
    ];
    expect(answers[0]?.headers['x-nuget-warning']).toBe(answers[0]?.problem?.detail);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for a dependency on what is no range of versions', async () => {
    const id = newId();
    const depending = async (dependencies: string) =>
      publish(nupkgOf({ id, version: '1.0.0', elements: `<dependencies>${dependencies}</dependencies>` }));
    const bad = '<dependency id="Acme.Other" version="bad"/>';
    const answers = [await depending(bad), await depending(`<group targetFramework="net8.0">${bad}</group>`)];
    const detail = "The nuspec depends on 'bad' of Acme.Other, which is no range of versions";
    expect(answers.map(({ problem }) => problem?.detail)).toEqual([
      expect.stringContaining(detail),
      expect.stringContaining(detail),
    ]);
    expect((await depending(bad.replace('bad', '1.*'))).status).toBe(201);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for a dependency on what is no package', async () => {
    const depending = async (dependency: string) =>
      publish(nupkgOf({ id: newId(), version: '1.0.0', elements: `<dependencies>${dependency}</dependencies>` }));
    const answers = [
      await depending('<dependency id="" version="1"/>'),
      await depending('<dependency id="Acme Other"/>'),
    ];
    expect(answers.map(({ problem }) => problem?.detail)).toEqual([
      expect.stringContaining("The nuspec depends on '', which is no ID of a package"),
      expect.stringContaining("The nuspec depends on 'Acme Other', which is no ID of a package"),
    ]);
    expect((await depending('<dependency id="Grüße.Net" version="1.0"/>')).status).toBe(201);
    return answers;
  });

  itAnswers('400 BODY_MALFORMED for what is no package', async () => [
    await publish(Buffer.from('no zip')),
    await publish(zipOf({ 'lib/a.nuspec': nuspecOf({ id: 'a', version: '1.0.0' }) })),
    await publish(zipOf({ 'a.nuspec': '<package/>', 'b.nuspec': '<package/>' })),
    await publish(withNuspec('<package><metadata>')),
    await publish(withNuspec('<!DOCTYPE package><package><metadata/></package>')),
    await publish(withNuspec('<project/>')),
  ]);

  it('400 PACKAGE_INVALID for a nuspec that is too long for an index, and the package is not there', async () => {
    const id = newId();
    const notes = (length: number) => `<releaseNotes>${'a'.repeat(length)}</releaseNotes>`;
    const answer = await publish(nupkgOf({ id, version: '1.0.0', elements: notes(256_000) }));
    expect([answer.status, answer.problem?.detail]).toEqual([400, expect.stringMatching(/may have at most 256000/)]);
    expect((await publish(nupkgOf({ id, version: '1.0.0', elements: notes(200_000) }))).status).toBe(201);
  });

  itAnswers('400 BODY_MALFORMED for two files in one form', async () => {
    const { mediaType, content } = formOf([
      { file: 'a.nupkg', name: 'package', content: nupkgOf({ id: newId(), version: '1.0.0' }) },
      { file: 'b.nupkg', name: 'other', content: nupkgOf({ id: newId(), version: '1.0.0' }) },
    ]);
    return send(publishNugetPackage, 'v3/package', { headers: { 'Content-Type': mediaType }, body: content });
  });

  itAnswers('400 REPOSITORY_READ_ONLY at a remote repository', async () =>
    publish(nupkgOf({ id: newId(), version: '1.0.0' }), {
      repository: await createRemote(service, setting.workspace, { packageType: 'nuget' }),
    }),
  );
});

describe('POST /1/workspaces/{workspace}/repositories/{repository}/packages/single', () => {
  const single = async (files: Readonly<Record<string, Uint8Array>>) =>
    service.client.attempt(publishPackage, {
      params: { workspace: setting.workspace.id, repository: setting.repository.id },
      bytes: formOf(Object.entries(files).map(([name, content]) => ({ file: name, content }))),
      as: setting.admin.bearer,
    });

  itAnswers('201 for a package with its symbols', async () => {
    const each = { id: newId(), version: '1.0.0', content: 'symbols' };
    const answer = await single({ 'a.nupkg': nupkgOf(each), 'a.snupkg': symbolsOf(each) });
    const { text } = await send(getNugetDocument, `v3/flat/${each.id}/1.0.0/${each.id}.1.0.0.snupkg`);
    expect(contentIn(text)).toBe('symbols');
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for other files, and for symbols of another version', async () => {
    const each = { id: newId(), version: '1.0.0' };
    return [
      await single({ 'a.zip': nupkgOf(each) }),
      await single({ 'a.snupkg': symbolsOf(each) }),
      await single({ 'a.nupkg': nupkgOf(each), 'b.nupkg': nupkgOf(each) }),
      await single({ 'a.nupkg': nupkgOf(each), 'a.snupkg': symbolsOf({ ...each, version: '1.0.1' }) }),
      await single({ 'a.nupkg': nupkgOf(each), 'a.snupkg': nupkgOf(each) }),
    ];
  });
});
