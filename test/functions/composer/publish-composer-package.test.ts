import { deletePackageVersion, getPackageVersion } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { zipOf } from '../../harness/zips.ts';
import { packageZip, pathOfFile, sha1, type TestPackage, useComposer } from '../../types/composer.ts';

const service = useService();
const { setting, get, publish, published, versions, urlOf } = useComposer(service);

const newName = (): string => `acme/${uniqueName('app')}`;
const publishing = async (each: Partial<TestPackage>, query?: string): Promise<Answer> =>
  publish(packageZip({ name: newName(), ...each }), query === undefined ? {} : { query });

describe('PUT /composer/{workspace}/{repository}', () => {
  itAnswers('201 with the version, which a client sees and gets', async () => {
    const name = newName();
    const fields = {
      require: { php: '>=8.1', 'acme/dep': '^1.0' },
      autoload: { 'psr-4': { 'Acme\\': 'src/' } },
      extra: { own: 1 },
    };
    const zip = packageZip({ name, version: 'v1.2', fields });
    const answer = await publish(zip);
    expect(JSON.parse(answer.text)).toEqual({
      package: name,
      version: '1.2.0',
      sizeInBytes: zip.length,
      sha256: sha256(zip),
    });
    const [shown] = await versions(name);
    expect(shown).toMatchObject({
      name,
      version: 'v1.2',
      version_normalized: '1.2.0.0',
      description: 'A package of a test',
      ...fields,
      dist: { type: 'zip', url: urlOf(pathOfFile(name, 'v1.2')), reference: sha1(zip), shasum: sha1(zip) },
    });
    const file = await fetch(shown?.dist?.url ?? '', { headers: { Authorization: setting.admin.bearer } });
    expect(Buffer.from(await file.arrayBuffer()).equals(zip)).toBe(true);
    return answer;
  });

  it('takes the version of the address, and the composer.json of the only folder or of the root', async () => {
    const name = newName();
    const answers = [
      await publish(packageZip({ name, folder: `${name.replace('/', '-')}-0a1b2c3/` }), { query: 'version=1.0.0' }),
      await publish(packageZip({ name, version: '2.0' }), { query: 'version=v2.0.0' }),
      await publish(packageZip({ name }), { query: 'version=dev-feature%2Fx' }),
      await publish(
        zipOf([
          { path: 'a/composer.json', content: '{}' },
          { path: 'composer.json', content: JSON.stringify({ name, version: '3.0.0' }) },
          { path: 'a/b/composer.json', content: 'no JSON' },
        ]),
      ),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect((await versions(name)).map(({ version }) => version)).toEqual(['3.0.0', '2.0', '1.0.0']);
    const [branch] = await versions(`${name}~dev`);
    expect([branch?.version, branch?.dist?.url.includes('/dev-feature%2Fx/')]).toEqual(['dev-feature/x', true]);
    expect((await get(pathOfFile(name, 'dev-feature/x'))).status).toBe(200);
  });

  it('drops what only a repository says, and adds the time of the publication', async () => {
    const fields = {
      dist: { url: 'https://evil.example/x.zip' },
      source: { type: 'git', url: 'x' },
      'notification-url': 'x',
    };
    const [shown] = await versions(await published({ fields }));
    expect([shown?.source, shown?.['notification-url'], shown?.dist?.url.startsWith(service.runner.url)]).toEqual([
      undefined,
      undefined,
      true,
    ]);
    expect(Date.now() - Date.parse(String(shown?.time))).toBeLessThan(600_000);
    const [timed] = await versions(await published({ fields: { time: '2020-01-01T00:00:00+00:00' } }));
    expect(timed?.time).toBe('2020-01-01T00:00:00+00:00');
  });

  itAnswers(
    '409 VERSION_EXISTS for every spelling of a version, also when it was deleted and the bytes are others',
    async () => {
      const name = await published({ version: '1.0' });
      const again = [
        await publishing({ name, version: 'v1.0.0.0', content: 'other' }),
        await publishing({ name, version: '1.0' }),
      ];
      const params = {
        workspace: setting.workspace.id,
        repository: setting.repository.id,
        package: name,
        version: '1.0.0',
      };
      await service.client.succeed(getPackageVersion, { params, as: setting.admin.bearer });
      await service.client.succeed(deletePackageVersion, { params, as: setting.admin.bearer });
      again.push(await publishing({ name, version: '1.0.0', content: 'other' }));
      expect((await publishing({ name, version: '1.0' })).status).toBe(201);
      return again;
    },
  );

  it.each<[string, Partial<TestPackage>, string | undefined, RegExp]>([
    ['without a version', {}, undefined, /says no version/],
    ['with two versions', { version: '1.0.0' }, 'version=1.0.1', /and the request another one, '1.0.1'/],
    ['with a version that is none', { version: 'one' }, undefined, /'one' is no version of Composer/],
    ['with a version with a blank', { version: '1.0 as 2.0' }, undefined, /is no version of Composer/],
    [
      'with a version that is a number',
      { fields: { version: 1 } },
      'version=1',
      /version in composer.json must be a text/,
    ],
    [
      'with a name in capitals',
      { name: 'Acme/App', version: '1.0.0' },
      undefined,
      /vendor and a project in lower case/,
    ],
    ['without a vendor', { name: 'app', version: '1.0.0' }, undefined, /vendor and a project in lower case/],
    [
      'with links that are a list',
      { version: '1', fields: { require: ['php'] } },
      undefined,
      /require in composer.json must be an object/,
    ],
    [
      'with a constraint that is a number',
      { version: '1', fields: { replace: { 'a/b': 1 } } },
      undefined,
      /replace in composer.json must be/,
    ],
    [
      'with a constraint that Composer cannot read',
      { version: '1', fields: { require: { 'x/z': '^1', 'x/y': 'not valid ver !!' } } },
      undefined,
      /require in composer.json has the constraint 'not valid ver !!' for 'x\/y', which Composer cannot read/,
    ],
    [
      'with an empty constraint',
      { version: '1', fields: { 'require-dev': { 'x/y': '' } } },
      undefined,
      /require-dev in composer.json has the constraint '' for 'x\/y'/,
    ],
    ['with a conflict with nothing', { version: '1', fields: { conflict: { 'x/y': '>>>1' } } }, undefined, /'>>>1'/],
    [
      'that replaces what is no version',
      { version: '1', fields: { replace: { 'x/y': 'latest' } } },
      undefined,
      /replace in composer.json has the constraint 'latest'/,
    ],
    [
      'that provides what is no version',
      { version: '1', fields: { provide: { 'x/y': '1.0 || bad bad' } } },
      undefined,
      /provide in composer.json has the constraint '1.0 \|\| bad bad'/,
    ],
    [
      'with an include-path that is no list',
      { version: '1', fields: { 'include-path': 'x' } },
      undefined,
      /include-path in composer.json must be a list of texts/,
    ],
    [
      'with a target-dir that is none',
      { version: '1', fields: { 'target-dir': ['x'] } },
      undefined,
      /target-dir in composer.json must be a text/,
    ],
    [
      'with a support that is a text',
      { version: '1', fields: { support: 'x' } },
      undefined,
      /support in composer.json must be an object/,
    ],
    [
      'with a name of archives that is none',
      { version: '1', fields: { archive: { name: ['x'] } } },
      undefined,
      /archive\.name in composer.json must be a text/,
    ],
    [
      'with exclusions that are no list',
      { version: '1', fields: { archive: { exclude: 'x' } } },
      undefined,
      /archive\.exclude in composer.json must be a list of texts/,
    ],
    [
      'with an alias of a branch that is none',
      { version: 'dev-main', fields: { extra: { 'branch-alias': { 'dev-main': 1 } } } },
      undefined,
      /extra\.branch-alias in composer.json must be an object whose values are texts/,
    ],
    [
      'with an extension of PHP that is none',
      { version: '1', fields: { 'php-ext': 'x' } },
      undefined,
      /php-ext in composer.json must be an object/,
    ],
    [
      'with a type that is none',
      { version: '1', fields: { type: [] } },
      undefined,
      /type in composer.json must be a text/,
    ],
    [
      'with a license that is none',
      { version: '1', fields: { license: [1] } },
      undefined,
      /license in composer.json must be a text or a list/,
    ],
    [
      'that is too large for an index',
      { version: '1', fields: { extra: { x: 'x'.repeat(300_000) } } },
      undefined,
      /may have at most 256000/,
    ],
  ])('refuses a package %s', async (_, each, query, sentence) => {
    const answer = await publishing(each, query);
    expect([answer.status, answer.code]).toEqual([400, 'PACKAGE_INVALID']);
    expect(answer.text).toMatch(sentence);
  });

  it('takes the version of the package itself, and every spelling of a constraint', async () => {
    const fields = {
      require: {
        'x/y': 'self.version',
        php: '^8.1 || ~9.0',
        'x/z': '1.0 - 2.0',
        'x/a': '1.x-dev#0a1b2c3 as 1.0',
        'x/b': '@dev',
      },
      'require-dev': [],
      replace: { 'x/c': 'self.version' },
      'include-path': ['lib/'],
      support: { issues: 'https://example.com' },
      archive: { name: 'app', exclude: ['/test'] },
      extra: { 'branch-alias': { 'dev-main': '1.x-dev' } },
    };
    const [shown] = await versions(await published({ fields }));
    expect(shown).toMatchObject({ require: fields.require, replace: fields.replace });
  });

  it('names all broken rules at once', async () => {
    const { text } = await publishing({ name: 'App', fields: { require: 1, bin: 2 } });
    expect((JSON.parse(text) as { errors: string[] }).errors).toHaveLength(4);
  });

  itAnswers('400 BODY_MALFORMED for what is no zip with a composer.json', async () => {
    const entry = (path: string, content = '{"name":"acme/app","version":"1"}') => ({ path, content });
    const bodies = [
      Buffer.from('no zip'),
      zipOf([entry('readme.md')]),
      zipOf([entry('a/b/composer.json')]),
      zipOf([entry('a/composer.json'), entry('b/composer.json')]),
      zipOf([entry('composer.json', '{')]),
      zipOf([entry('composer.json', '[]')]),
      zipOf([entry('composer.json', `{"a":"${'x'.repeat(1024 * 1024)}"}`)]),
      packageZip({ name: newName(), version: '1.0.0' }).subarray(0, -30),
    ];
    const answers = [];
    for (const body of bodies) answers.push(await publish(body));
    return answers;
  });

  itAnswers(
    '400 REPOSITORY_READ_ONLY in a remote repository, and in a virtual one without an upload target',
    async () => {
      const remoteRepositoryUrl = 'https://repo.packagist.org';
      const remote = await createRemote(service, setting.workspace, { packageType: 'composer', remoteRepositoryUrl });
      const virtual = await createVirtual(service, setting.workspace, [setting.repository], {
        packageType: 'composer',
      });
      const body = packageZip({ name: newName(), version: '1.0.0' });
      return [await publish(body, { repository: remote }), await publish(body, { repository: virtual })];
    },
  );

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another type', async () =>
    publish(packageZip({ name: newName(), version: '1.0.0' }), {
      repository: await service.world.repository(setting.workspace),
    }),
  );

  it('goes through a virtual repository to its upload target', async () => {
    const uploadLocalRepositoryId = setting.repository.id;
    const fields = { packageType: 'composer', uploadLocalRepositoryId } as const;
    const virtual = await createVirtual(service, setting.workspace, [setting.repository], fields);
    const name = await published({}, { repository: virtual });
    expect(await versions(name)).toHaveLength(1);
    const [shown] = await versions(name, { repository: virtual });
    expect(shown?.dist?.url).toBe(urlOf(pathOfFile(name, '1.0.0'), virtual));
  });
});
