import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { useDebian } from '../../types/debian.ts';
import { debName, debOf, debPath } from '../../types/debian-files.ts';

const service = useService();
const { put, get, published, packages } = useDebian(service);

const newPackage = () => ({ name: uniqueName('pkg'), version: '1.0' });

/** What dpkg-buildpackage writes about a package that it has built. */
const changesOf = (name: string, hash: string, source = 'acme'): Buffer =>
  Buffer.from(
    `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nFormat: 1.8\nSource: ${source}\nVersion: 1.0\nChecksums-Sha256:\n ${hash} 5 ${name}\n ${hash} 7 acme_1.0.dsc\nFiles:\n 00 5 ${name}\n-----BEGIN PGP SIGNATURE-----\n`,
  );

describe('PUT /debian/{workspace}/{repository}/{path}', () => {
  itAnswers('201 with the name, the version and the file that the package says, in each form of a path', async () => {
    const each = { name: uniqueName('pkg'), version: '1:2.0~rc1-3', architecture: 'arm64' };
    const paths = [
      ['pool/bookworm/main/upload', 'bookworm/main'],
      ['pool/bookworm/contrib/any.deb', 'bookworm/contrib'],
      ['pool/x.deb;deb.distribution=trixie;deb.component=main;deb.architecture=arm64', 'trixie/main'],
      ['any/x.deb;deb.component=main;deb.distribution=sid', 'sid/main'],
    ] as const;
    const answers = [];
    for (const [path, place] of paths) {
      const answer = await put(path, debOf(each));
      expect(answer.result).toEqual({
        package: each.name,
        version: `${place}/2.0~rc1-3_arm64`,
        file: `${each.name}_2.0~rc1-3_arm64.deb`,
        sizeInBytes: debOf(each).length,
        sha256: sha256(debOf(each)),
      });
      expect((await get(debPath(each, place))).status).toBe(200);
      const [distribution = '', component = ''] = place.split('/');
      expect(await packages({ distribution, component, architecture: 'arm64' })).toContain(`${each.name} 1:2.0~rc1-3`);
      answers.push(answer);
    }
    return answers;
  });

  itAnswers('201 for a package of all architectures whose path names another one', async () =>
    put('x.deb;deb.distribution=stable;deb.component=main;deb.architecture=amd64', debOf(newPackage())),
  );

  itAnswers('409 VERSION_EXISTS for other bytes, also if the epoch alone differs', async () => {
    const each = await published({ content: 'one' });
    return [
      await put(debPath(each), debOf({ ...each, content: 'two' })),
      await put('pool/stable/main/upload', debOf({ ...each, version: '1:1.0' })),
    ];
  });

  itAnswers('400 BODY_MALFORMED for what is no package, was cut, or is for another architecture', async () => {
    const bytes = debOf({ ...newPackage(), architecture: 'arm64' });
    return [
      await put('pool/stable/main/upload', Buffer.from('no package')),
      await put('pool/stable/main/upload', bytes.subarray(0, bytes.length - 2)),
      await put('x.deb;deb.distribution=stable;deb.component=main;deb.architecture=amd64', bytes),
    ];
  });

  itAnswers('400 BODY_MALFORMED for an architecture that only sources have, whatever the path names', async () => {
    const answers = [];
    for (const architecture of ['source', 'any', 'linux-any', 'any-amd64', 'gnu-any-any'])
      answers.push(await put('pool/sources/main/upload', debOf({ ...newPackage(), architecture })));
    expect(answers.map(({ problem }) => problem?.detail)).toEqual(
      answers.map(() => expect.stringMatching(/such as amd64 or arm64, or for all\.$/) as string),
    );
    const others = ['x32', 'kfreebsd-amd64', 'anything'];
    for (const architecture of others)
      expect((await put('pool/sources/main/upload', debOf({ ...newPackage(), architecture }))).status).toBe(201);
    return answers;
  });

  itAnswers(
    '400 PACKAGE_INVALID for metadata that are too long, and for properties of more than one value',
    async () => [
      await put('pool/stable/main/upload', debOf({ ...newPackage(), control: [`Depends: ${'a'.repeat(256_000)}`] })),
      await put('x.deb;deb.distribution=stable,testing;deb.component=main', debOf(newPackage())),
      await put('x.deb;deb.distribution=stable;deb.distribution=testing;deb.component=main', debOf(newPackage())),
      await put('x.deb;deb.distribution=stable;deb.component=main;owner=me', debOf(newPackage())),
    ],
  );

  itAnswers('404 FILE_NOT_FOUND for a path that is none of a package', async () => {
    const bytes = debOf(newPackage());
    const paths = [
      'x.deb',
      'pool/stable/x.deb',
      'pool/stable/main/m/x.deb',
      'pool/stable/main/x.deb/m',
      'pool/stable/main/upload/x.deb',
      'pool/stable/main/x.rpm',
      'pool/a%20b/main/x.deb',
      `pool/stable/${'a'.repeat(51)}/x.deb`,
      'x.deb;deb.distribution=stable',
      'x.rpm;deb.distribution=stable;deb.component=main',
    ];
    return Promise.all(paths.map(async (path) => put(path, bytes)));
  });

  itAnswers('201 for the files of dput beside packages that have arrived', async () => {
    const each = await published();
    const body = changesOf(debName(each), sha256(debOf(each)));
    const answer = await put('pool/stable/main/acme_1.0_amd64.changes', body);
    expect(answer.result).toMatchObject({ package: 'acme', version: '1.0', file: 'acme_1.0_amd64.changes' });
    expect((await get('pool/stable/main/acme_1.0_amd64.changes')).status).toBe(404);
    return [
      answer,
      await put('pool/stable/main/acme_1.0_amd64.buildinfo', changesOf('later_1.0_all.deb', '0'.repeat(64))),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for a .changes of packages that have not arrived as it names them', async () => {
    const each = await published();
    const path = 'pool/stable/main/acme_1.0_amd64.changes';
    return [
      await put(path, changesOf(debName(each), '0'.repeat(64))),
      await put('pool/testing/main/acme_1.0_amd64.changes', changesOf(debName(each), sha256(debOf(each)))),
      await put(path, changesOf('odd.deb', '0'.repeat(64))),
      await put(path, changesOf(debName(each), sha256(debOf(each)), '')),
      await put(path, Buffer.alloc(0)),
    ];
  });

  itAnswers('400 PACKAGE_INVALID for a .changes of more than a megabyte, whatever it names', async () => {
    const each = await published();
    const changes = changesOf(debName(each), sha256(debOf(each)));
    const long = Buffer.concat([changes, Buffer.from(`Description:\n${' more\n'.repeat(200_000)}`)]);
    return put('pool/stable/main/acme_1.0_amd64.changes', long);
  });
});
