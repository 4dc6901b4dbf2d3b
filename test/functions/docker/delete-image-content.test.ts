import { setTimeout as pause } from 'node:timers/promises';
import { deleteImageContent, publishImageContent } from '../../../functions/docker/contracts.ts';
import { deletePackageVersion } from '../../../functions/packages/contracts.ts';
import { digestOf, elsewhere, manifestOf, newImage, useImages } from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const images = useImages(service);

/** Waits until a function has sent so many transactions. */
const untilTried = async (functionId: string, count = 1): Promise<void> => {
  const sent = (): number => service.proxy.callsOf(functionId).filter(({ isWrite }) => isWrite).length;
  while (sent() < count) await pause(5);
};

const tagsOf = async (image: string): Promise<string[]> =>
  (JSON.parse((await images.get(`${image}/tags/list`)).text) as { tags: string[] }).tags;

describe('DELETE /v2/{workspace}/{repository}/{image}/manifests/{reference}', () => {
  itAnswers('202 for a manifest, with the tags that lead to it', async () => {
    const { digest, image } = await images.push('app', '1');
    await images.push('app', '1.0', image);
    const other = await images.push('app', '2');
    const answer = await images.remove(`app/manifests/${digest}`);
    for (const reference of ['1', '1.0', digest])
      expect((await images.get(`app/manifests/${reference}`)).code).toBe('VERSION_NOT_FOUND');
    expect((await images.get('app/manifests/2')).text).toBe(other.manifest);
    expect(await tagsOf('app')).toEqual(['2']);
    // The same manifest may come back, and its old tags do not.
    await images.push('app', '3', image);
    expect(await tagsOf('app')).toEqual(['2', '3']);
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  itAnswers('202 for a tag alone', async () => {
    const { digest, image } = await images.push('tags', '1');
    await images.push('tags', '2', image);
    const answer = await images.remove('tags/manifests/1');
    expect((await images.get('tags/manifests/1')).status).toBe(404);
    expect((await images.get(`tags/manifests/${digest}`)).status).toBe(200);
    expect(await tagsOf('tags')).toEqual(['2']);
    return answer;
  });

  it('also ends the tags of a version that is deleted as every type deletes versions', async () => {
    const { workspace, repository, admin } = images.setting;
    const { digest, image } = await images.push('managed', '1');
    const params = { workspace: workspace.id, repository: repository.id, package: 'managed', version: digest };
    await service.client.succeed(deletePackageVersion, { params, as: admin.bearer });
    expect((await images.get('managed/manifests/1')).status).toBe(404);
    await images.push('managed', '2', image);
    expect((await images.get('managed/manifests/1')).status).toBe(404);
    expect(await tagsOf('managed')).toEqual(['2']);
  });

  itAnswers('404 VERSION_NOT_FOUND for a manifest or a tag that is not there', async () => {
    await images.push('missing', '1');
    return [await images.remove('missing/manifests/2'), await images.remove(`missing/manifests/${digestOf('x')}`)];
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY for a tag or a manifest that another child of a virtual repository has',
    async () => {
      const other = await service.world.repository(images.setting.workspace, undefined, 'docker');
      const virtual = await createVirtual(service, images.setting.workspace, [images.setting.repository, other], {
        packageType: 'docker',
        uploadLocalRepositoryId: images.setting.repository.id,
      });
      const { digest } = await images.push('elsewhere', '1', newImage(), { repository: other });
      const answers = [
        await images.remove('elsewhere/manifests/1', { repository: virtual }),
        await images.remove(`elsewhere/manifests/${digest}`, { repository: virtual }),
      ];
      for (const { problem } of answers)
        expect(problem?.detail).toContain(`in '${other.name}': send the request there.`);
      return answers;
    },
  );

  itAnswers('403 FORBIDDEN for who may deploy, and not manage', async () => {
    const { workspace, repository } = images.setting;
    const { digest, image } = await images.push('guarded', '1');
    const deployer = await service.world.member(workspace);
    await service.world.grant(workspace, repository, deployer, 'canDeploy');
    const as = deployer.bearer;
    const upload = await images.begin('guarded', { as });
    expect((await images.remove(upload, { as })).status).toBe(204);
    return [
      await images.remove(`guarded/manifests/${digest}`, { as }),
      await images.remove('guarded/manifests/1', { as }),
      await images.remove(`guarded/blobs/${digestOf(image.config)}`, { as }),
    ];
  });
});

describe('DELETE /v2/{workspace}/{repository}/{image}/blobs/{digest}', () => {
  itAnswers('202 for a blob that no manifest names', async () => {
    const bytes = uniqueName('bytes');
    await images.pushBlob('blobs', bytes);
    const answer = await images.remove(`blobs/blobs/${digestOf(bytes)}`);
    expect((await images.get(`blobs/blobs/${digestOf(bytes)}`)).code).toBe('FILE_NOT_FOUND');
    expect((await images.pushBlob('blobs', bytes)).status).toBe(201);
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for one that a manifest names, until that is deleted', async () => {
    const { digest, image } = await images.push('used', '1');
    const path = `used/blobs/${digestOf(image.config)}`;
    const answer = await images.remove(path);
    await images.remove(`used/manifests/${digest}`);
    expect((await images.remove(path)).status).toBe(202);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for one that a manifest names, although it is also at another place', async () => {
    const image = newImage();
    const [layer = ''] = image.layers;
    const { digest } = await images.push('foreign', '1', image, {}, { layers: [elsewhere(layer)] });
    const path = `foreign/blobs/${digestOf(layer)}`;
    const answer = await images.remove(path);
    await images.remove(`foreign/manifests/${digest}`);
    expect((await images.remove(path)).status).toBe(202);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for one that a manifest names from the moment before it is deleted', async () => {
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await images.pushBlob('late', bytes);
    service.proxy.forget();
    service.proxy.inject({ functionId: deleteImageContent.id, operation: 'TransactWriteItems', fault: 'conflict' });
    const deletion = images.remove(`late/blobs/${digestOf(image.config)}`);
    await untilTried(deleteImageContent.id);
    const pushed = await images.pushManifest('late', '1', manifestOf(image));
    service.proxy.heal();
    const answer = await deletion;
    expect(pushed.status).toBe(201);
    expect((await images.get(`late/blobs/${digestOf(image.config)}`)).text).toBe(image.config);
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  it('is done before a manifest is there that names the blob, which is refused then', async () => {
    const image = newImage();
    for (const bytes of [image.config, ...image.layers]) await images.pushBlob('early', bytes);
    // The manifest itself is stored before the transaction that publishes it.
    service.proxy.forget();
    service.proxy.inject({
      functionId: publishImageContent.id,
      operation: 'TransactWriteItems',
      fault: 'conflict',
      after: 1,
    });
    const push = images.pushManifest('early', '1', manifestOf(image));
    await untilTried(publishImageContent.id, 2);
    const deleted = await images.remove(`early/blobs/${digestOf(image.config)}`);
    service.proxy.heal();
    expect([deleted.status, (await push).code]).toEqual([202, 'PACKAGE_INVALID']);
    expect(await brokenContent(service)).toEqual([]);
    await images.pushBlob('early', image.config);
    expect((await images.pushManifest('early', '1', manifestOf(image))).status).toBe(201);
  });

  itAnswers('404 FILE_NOT_FOUND for one that is not there', async () => images.remove(`app/blobs/${digestOf('x')}`));

  itAnswers('400 PACKAGE_INVALID for what cannot be deleted', async () => images.remove('app/tags/list'));
});
