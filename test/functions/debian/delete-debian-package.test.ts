import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { useDebian } from '../../types/debian.ts';
import { debOf, debPath } from '../../types/debian-files.ts';

const service = useService();
const { put, get, remove, published, packages } = useDebian(service);

describe('DELETE /debian/{workspace}/{repository}/{path}', () => {
  itAnswers('200 and removes a version from the lists, and its file, in its distribution alone', async () => {
    const [each] = await Promise.all([published(), published()]);
    await published(each, 'testing/main');
    const answer = await remove(debPath(each));
    expect((await get(debPath(each))).status).toBe(404);
    expect((await get(debPath(each, 'testing/main'))).status).toBe(200);
    expect(await packages()).not.toContain(`${each.name} 1.0`);
    expect(await packages({ distribution: 'testing' })).toContain(`${each.name} 1.0`);
    return answer;
  });

  it('lets the same bytes come back, and no others', async () => {
    const each = await published({ content: 'one' });
    await remove(debPath(each));
    expect((await put(debPath(each), debOf({ ...each, content: 'two' }))).code).toBe('VERSION_EXISTS');
    expect((await put(debPath(each), debOf(each))).status).toBe(201);
    expect(await packages()).toContain(`${each.name} 1.0`);
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => {
    const each = await published();
    return remove(debPath({ ...each, version: '2.0' }));
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a package that is not there', async () =>
    remove(debPath({ name: 'nobody', version: '1.0' })),
  );

  itAnswers('404 FILE_NOT_FOUND for a path that is none of a package', async () => remove('dists/stable/InRelease'));
});
