import { createUpload, publishPackage, publishUpload } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { announced, formOf, putUpload } from '../../harness/uploads.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { useDebian } from '../../types/debian.ts';
import { debOf, debPath } from '../../types/debian-files.ts';

const service = useService();
const { setting, get, packages } = useDebian(service);

const place = { distribution: 'trixie', component: 'contrib' };

const newPackage = () => ({ name: uniqueName('pkg'), version: '1.0' });

const paramsOf = (repository: Named) => ({ workspace: setting.workspace.id, repository: repository.id });

const post = async (fields: Readonly<Record<string, string>>, each = newPackage(), repository = setting.repository) =>
  service.client.attempt(publishPackage, {
    params: paramsOf(repository),
    bytes: formOf([
      ...Object.entries(fields).map(([field, value]) => ({ field, value })),
      { file: 'any.deb', content: debOf(each) },
    ]),
    as: setting.admin.bearer,
  });

const announce = async (fields: object, each = newPackage(), repository = setting.repository) =>
  service.client.attempt(createUpload, {
    params: paramsOf(repository),
    body: { ...fields, files: [announced('any.deb', debOf(each))] },
    as: setting.admin.bearer,
  });

describe('A package that comes without its client', () => {
  itAnswers('201 in the distribution and the component of a form', async () => {
    const each = newPackage();
    const answer = await post(place, each);
    expect((await get(debPath(each, 'trixie/contrib'))).status).toBe(200);
    expect(await packages(place)).toContain(`${each.name} 1.0`);
    return answer;
  });

  itAnswers('201 in those of an upload session', async () => {
    const each = newPackage();
    const body = { ...place, files: [announced('any.deb', debOf(each))] };
    const as = setting.admin.bearer;
    const upload = await service.client.succeed(createUpload, { params: paramsOf(setting.repository), body, as });
    for (const file of upload.files) await putUpload(file, debOf(each));
    const params = { ...paramsOf(setting.repository), upload: upload.id };
    const answer = await service.client.attempt(publishUpload, { params, as });
    expect(await packages(place)).toContain(`${each.name} 1.0`);
    return answer;
  });

  itAnswers('201 in the component main of the distribution stable without them', async () => {
    const each = newPackage();
    const answer = await post({}, each);
    expect(await packages()).toContain(`${each.name} 1.0`);
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for a place that has no name of one', async () => [
    await post({ distribution: 'a/b' }),
    await announce({ component: 'a b' }),
  ]);

  it('names no place for a type without distributions', async () => {
    const repository = await service.world.repository(setting.workspace, undefined, 'rpm');
    for (const { status, problem } of [
      await post(place, newPackage(), repository),
      await announce(place, newPackage(), repository),
    ])
      expect([status, problem?.detail]).toEqual([400, expect.stringContaining('Leave out distribution')]);
  });
});
