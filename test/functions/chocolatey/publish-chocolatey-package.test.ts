import { getChocolateyDocument, publishChocolateyPackage } from '../../../functions/chocolatey/contracts.ts';
import { publishPackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';
import { contentIn, type FeedRequest, nupkgOf, symbolsOf, usePackageFeed } from '../../types/nupkgs.ts';

const service = useService();
const { setting, send, push } = usePackageFeed(service, 'chocolatey');

const publish = async (file: Uint8Array, request?: FeedRequest) => push(publishChocolateyPackage, '', file, request);
const newId = (): string => uniqueName('Acme.Tool');
const contentOf = async (id: string, version: string) =>
  contentIn((await send(getChocolateyDocument, `package/${id}/${version}`)).text);

describe('PUT /chocolatey/{workspace}/{repository}', () => {
  itAnswers('201 with ID and version, with and without a slash, and for a body that is the package', async () => {
    const id = newId();
    const first = await publish(nupkgOf({ id, version: '1.0.0', content: 'form' }));
    expect(first.result).toEqual({ id, version: '1.0.0' });
    const body = nupkgOf({ id, version: '1.2.0', content: 'plain' });
    const headers = { 'Content-Type': 'application/octet-stream' };
    const answers = [
      first,
      await publish(nupkgOf({ id, version: '1.1.0', content: 'bare' }), { isBare: true }),
      await send(publishChocolateyPackage, '', { headers, body }),
    ];
    expect(await Promise.all(['1.0.0', '1.1.0', '1.2.0'].map(async (version) => contentOf(id, version)))).toEqual([
      'form',
      'bare',
      'plain',
    ]);
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for another spelling of a version, with the sentence in a header', async () => {
    const id = newId();
    await publish(nupkgOf({ id, version: '1.2.0-beta' }));
    const answer = await publish(nupkgOf({ id: id.toUpperCase(), version: '1.02-Beta', content: 'other' }));
    expect(answer.headers['x-nuget-warning']).toBe(answer.problem?.detail);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for a package with symbols, and says where they can go', async () => {
    const answer = await publish(symbolsOf({ id: newId(), version: '1.0.0' }));
    expect(answer.problem?.detail).toContain('to v3/symbolpackage of a repository of NuGet');
    return answer;
  });

  itAnswers('400 REPOSITORY_READ_ONLY at a remote repository', async () =>
    publish(nupkgOf({ id: newId(), version: '1.0.0' }), {
      repository: await createRemote(service, setting.workspace, { packageType: 'chocolatey' }),
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

  itAnswers('201 for a package of Chocolatey', async () => {
    const each = { id: newId(), version: '1.0.0', content: 'single' };
    const answer = await single({ 'a.nupkg': nupkgOf(each) });
    expect(await contentOf(each.id, '1.0.0')).toBe('single');
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for another file', async () =>
    single({ 'a.zip': nupkgOf({ id: newId(), version: '1.0.0' }) }),
  );
});
