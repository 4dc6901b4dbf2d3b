import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { useRpm } from '../../types/rpm.ts';
import { rpmOf, rpmPath } from '../../types/rpm-files.ts';

const service = useService();
const { put, get, remove, published, builds } = useRpm(service);

describe('DELETE /rpm/{workspace}/{repository}/{path}', () => {
  itAnswers('200 and removes a version from the lists, and its file, in its group alone', async () => {
    const each = await published();
    await published(each, 'el9');
    const answer = await remove(rpmPath(each));
    expect((await get(rpmPath(each))).status).toBe(404);
    expect((await get(rpmPath(each, 'el9'))).status).toBe(200);
    expect(await builds()).not.toContain(`${each.name} 0:1.0-1`);
    expect(await builds({ group: 'el9' })).toContain(`${each.name} 0:1.0-1`);
    return answer;
  });

  it('lets the same bytes come back, and no others', async () => {
    const each = await published({ content: 'one' });
    await remove(rpmPath(each));
    expect((await put(rpmPath(each), rpmOf({ ...each, content: 'two' }))).code).toBe('VERSION_EXISTS');
    expect((await put(rpmPath(each), rpmOf(each))).status).toBe(201);
    expect(await builds()).toContain(`${each.name} 0:1.0-1`);
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => {
    const each = await published();
    return remove(rpmPath({ ...each, version: '2.0' }));
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', async () =>
    remove(rpmPath({ name: 'nobody', version: '1.0' })),
  );

  itAnswers('404 FILE_NOT_FOUND for a path that is none of a package', async () => [
    await remove('repodata/repomd.xml'),
    await remove('nobody.rpm'),
  ]);
});
