import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { useRpm } from '../../types/rpm.ts';
import { rpmOf, rpmPath } from '../../types/rpm-files.ts';

const service = useService();
const { put, get, published, builds } = useRpm(service);

const newPackage = () => ({ name: uniqueName('pkg'), version: '1.0' });

describe('PUT /rpm/{workspace}/{repository}/{path}', () => {
  itAnswers('201 with the name, the version and the file that the header says', async () => {
    const each = { ...newPackage(), version: '2.0~rc1', release: '3.el9', epoch: 1, arch: 'x86_64' };
    const answer = await put('any-name.rpm', rpmOf(each));
    expect(answer.result).toEqual({
      package: each.name,
      version: '2.0~rc1-3.el9.x86_64',
      file: `${each.name}-2.0~rc1-3.el9.x86_64.rpm`,
      sizeInBytes: rpmOf(each).length,
      sha256: sha256(rpmOf(each)),
    });
    expect((await get(rpmPath(each))).status).toBe(200);
    expect(await builds()).toContain(`${each.name} 1:2.0~rc1-3.el9`);
    return answer;
  });

  itAnswers('201 for each architecture and each release of a version, and for one in another group', async () => {
    const each = await published({ arch: 'x86_64' });
    return [
      await put('x.rpm', rpmOf({ ...each, arch: 'aarch64' })),
      await put('x.rpm', rpmOf({ ...each, release: '2' })),
      await put('el9/x.rpm', rpmOf({ ...each, content: 'of el9' })),
    ];
  });

  itAnswers('409 VERSION_EXISTS for other bytes, also if the epoch alone differs', async () => {
    const each = await published({ content: 'one' });
    return [
      await put(rpmPath(each), rpmOf({ ...each, content: 'two' })),
      await put('Packages/p/x.rpm', rpmOf({ ...each, epoch: 1 })),
    ];
  });

  itAnswers('400 BODY_MALFORMED for what is no package, or was cut', async () => {
    const bytes = rpmOf(newPackage());
    return [
      await put('x.rpm', Buffer.from('no package')),
      await put('x.rpm', bytes.subarray(0, bytes.length - 1)),
      await put('x.rpm', rpmOf({ ...newPackage(), name: 'a b' })),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for lists that are too long for those of a repository', async () => {
    const files = Array.from({ length: 5_000 }, (_, at) => `/usr/bin/${'a'.repeat(60)}${at}`);
    return put('x.rpm', rpmOf({ ...newPackage(), files }));
  });

  itAnswers('404 FILE_NOT_FOUND for a path that is none of a package', async () => [
    await put('x.deb', rpmOf(newPackage())),
    await put('repodata/x.rpm', rpmOf(newPackage())),
    await put('a%20b/x.rpm', rpmOf(newPackage())),
    await put(`${'a'.repeat(101)}/x.rpm`, rpmOf(newPackage())),
  ]);
});
