import { createHash } from 'node:crypto';
import { deletePackageVersion, listPackages } from '../../../functions/packages/contracts.ts';
import { sha256 } from '../../harness/bytes.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import {
  coreMetadata,
  moduleOf,
  type PythonPackage,
  sdistName,
  sdistOf,
  uploadForm,
  usePythonRepository,
  wheelName,
  wheelOf,
  zipOf,
} from '../../harness/pypi.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const { setting, get, upload, page, publish } = usePythonRepository(service);

const newPackage = (fields: Partial<PythonPackage> = {}) => ({
  name: uniqueName('Project'),
  version: '1.0.0',
  ...fields,
});

describe('POST /pypi/{workspace}/{repository}', () => {
  itAnswers('200 with what was stored, with and without a slash, and the next page shows it', async () => {
    const each = newPackage({ requiresPython: '>=3.9, <4' });
    const wheel = wheelOf(each);
    const answer = await upload(uploadForm(wheelName(each), wheel, each));
    const stored = { version: '1.0.0', file: wheelName(each), sizeInBytes: wheel.length, sha256: sha256(wheel) };
    expect(answer.result).toEqual({ name: each.name, ...stored });
    const sdist = await sdistOf(each);
    const second = await upload(uploadForm(sdistName(each), sdist, each), { slash: '/' });
    const { files, versions } = await page(each.name);
    expect(versions).toEqual(['1.0.0']);
    expect(files).toEqual([
      {
        filename: wheelName(each),
        url: `../../files/${each.name.toLowerCase()}/1.0.0/${wheelName(each)}`,
        hashes: { sha256: sha256(wheel) },
        'requires-python': '>=3.9, <4',
        size: wheel.length,
        'upload-time': expect.stringMatching(/^\d{4}-.+Z$/) as string,
        yanked: false,
        'core-metadata': { sha256: sha256(coreMetadata(each)) },
      },
      expect.objectContaining({ filename: sdistName(each), hashes: { sha256: sha256(sdist) } }),
    ]);
    return [answer, second];
  });

  it('shows METADATA of a wheel beside it', async () => {
    const each = newPackage();
    await publish(each);
    const { text } = await get(`files/${each.name}/1.0.0/${wheelName(each)}.metadata`);
    expect(text).toBe(coreMetadata(each));
  });

  itAnswers('409 VERSION_EXISTS for a file that is there, in words that twine and uv look for', async () => {
    const each = newPackage();
    const wheel = await publish(each);
    const other = wheelOf({ ...each, content: 'other' });
    const answers = [
      await upload(uploadForm(wheelName(each), wheel, each)),
      await upload(uploadForm(wheelName(each), other, each)),
    ];
    for (const { problem } of answers) expect(problem?.detail).toContain('already exists');
    return answers;
  });

  itAnswers(
    '409 VERSION_EXISTS for a version with more zeros or fewer, which is the same, also after its deletion',
    async () => {
      const each = newPackage({ version: '1.0' });
      await publish(each);
      const send = async (version: string) => {
        const other = { ...each, version };
        return upload(uploadForm(wheelName(other), wheelOf(other), other));
      };
      const others = ['1', '1.0.0', '1.0.0.0', 'v1.0.0'];
      const answers = await Promise.all(others.map(send));
      expect(answers[1]?.problem?.detail).toBe(
        `${each.name} 1.0.0 is the version 1.0, which already exists. Publish files of it under that version, and changes under a new one.`,
      );
      expect((await page(each.name)).versions).toEqual(['1.0']);
      const sdist = await upload(uploadForm(sdistName(each), await sdistOf(each), each));
      expect(sdist.status).toBe(200);
      expect((await send('1.0.1')).status).toBe(200);
      await service.client.succeed(deletePackageVersion, {
        params: {
          workspace: setting.workspace.id,
          repository: setting.repository.id,
          package: each.name.toLowerCase(),
          version: '1.0',
        },
        as: setting.admin.bearer,
      });
      return [...answers, ...(await Promise.all(others.map(send)))];
    },
  );

  it('has one of two spellings of a version that come at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const each = newPackage();
      const answers = await Promise.all(
        ['2.0', '2.0.0', '2'].map(async (version) => {
          const other = { ...each, version };
          return upload(uploadForm(wheelName(other), wheelOf(other), other));
        }),
      );
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409']);
      expect((await page(each.name)).versions).toHaveLength(1);
    }
  });

  itAnswers('409 VERSION_EXISTS for another spelling of the name of a file', async () => {
    const each = newPackage();
    await publish(each);
    const spelled = wheelName(each).replace('project', 'PROJECT');
    return upload(uploadForm(spelled, wheelOf(each), each));
  });

  it('stores all spellings of a name and of a version as one package and one version', async () => {
    const name = uniqueName('Pro.Ject');
    await publish({ name, version: '1.0rc1' });
    const respelled = { name: name.replace('.', '__').toUpperCase(), version: '1.0.RC-1' };
    const sdist = await sdistOf(respelled);
    const file = `${moduleOf(name)}-1.0rc1.tar.gz`;
    expect((await upload(uploadForm(file, sdist, respelled))).status).toBe(200);
    const found = await page(name.replace('.', '-'));
    expect({ versions: found.versions, files: found.files.length }).toEqual({ versions: ['1.0rc1'], files: 2 });
    const list = await service.client.succeed(listPackages, {
      params: { workspace: setting.workspace.id, repository: setting.repository.id },
      query: { search: name.toLowerCase().replace('.', '-') },
      as: setting.admin.bearer,
    });
    expect(list.packages).toEqual([
      expect.objectContaining({ displayName: name, latestVersion: '1.0rc1', versionCount: 1 }),
    ]);
  });

  it('keeps a signature and attestations, and shows that they are there', async () => {
    const each = newPackage();
    const armored = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n';
    const attestations = [{ version: 1, verification_material: {}, envelope: { statement: '', signature: '' } }];
    const fields = { attestations: JSON.stringify(attestations) };
    const { status } = await upload(uploadForm(wheelName(each), wheelOf(each), each, fields, armored));
    expect(status).toBe(200);
    const [file] = (await page(each.name)).files;
    const folder = `files/${each.name.toLowerCase()}/1.0.0/${wheelName(each)}`;
    expect(file).toMatchObject({ 'gpg-sig': true, provenance: `../../${folder}.provenance` });
    expect((await get(`${folder}.asc`)).text).toBe(armored);
    const provenance = JSON.parse((await get(`${folder}.provenance`)).text) as object;
    expect(provenance).toMatchObject({ version: 1, attestation_bundles: [{ attestations }] });
  });

  itAnswers('400 PACKAGE_INVALID when a field is not what the file says', async () => {
    const each = newPackage();
    const wheel = wheelOf(each);
    const hash = (algorithm: string) => createHash(algorithm).update('other').digest('hex');
    const wrong = [
      { name: 'other' },
      { version: '2.0' },
      { filetype: 'sdist' },
      { sha256_digest: hash('sha256') },
      { md5_digest: hash('md5') },
      { blake2_256_digest: hash('sha256') },
    ];
    return Promise.all(wrong.map(async (fields) => upload(uploadForm(wheelName(each), wheel, each, fields))));
  });

  itAnswers('400 PACKAGE_INVALID for a file whose name is not that of its metadata', async () => {
    const each = newPackage();
    const wheel = wheelOf(each);
    const names = [
      wheelName({ ...each, version: '1.0.1' }),
      wheelName({ ...each, name: 'other' }),
      'other.whl',
      `${moduleOf(each.name)}-1.0.0-none-any.whl`,
    ];
    return Promise.all(names.map(async (name) => upload(uploadForm(name, wheel, each, { filetype: undefined }))));
  });

  itAnswers('400 PACKAGE_INVALID for requirements that tools cannot read, of METADATA and of the form', async () => {
    const [dists, pythons] = [
      ['??? !!', 'foo (1.0)'],
      ['>=3.6.*', '3.9'],
    ];
    const wheels = [
      ...dists.map((wrong) => newPackage({ requiresDist: ['foo>=1', wrong] })),
      ...pythons.map((requiresPython) => newPackage({ requiresPython })),
    ];
    const ofWheels = await Promise.all(
      wheels.map(async (each) => upload(uploadForm(wheelName(each), wheelOf(each), each))),
    );
    const sdist = newPackage();
    const bytes = await sdistOf(sdist);
    const fields = [
      ...dists.map((wrong) => ({ requires_dist: wrong })),
      ...pythons.map((wrong) => ({ requires_python: wrong })),
    ];
    const ofSdists = await Promise.all(
      fields.map(async (each) => upload(uploadForm(sdistName(sdist), bytes, sdist, each))),
    );
    const described = (label: string) => [
      ...dists.map((wrong) => [
        '/requires_dist',
        `Requires-Dist in ${label} must be a requirement of PEP 508, such as 'requests>=2.8; python_version < "3.9"': '${wrong}' is not.`,
      ]),
      ...pythons.map((wrong) => [
        '/requires_python',
        `Requires-Python in ${label} must be version specifiers of PEP 440, such as '>=3.9': '${wrong}' is not.`,
      ]),
    ];
    const all = [...ofWheels, ...ofSdists];
    expect(all.map(({ problem }) => problem?.violations?.map(({ pointer, message }) => [pointer, message]))).toEqual(
      [...described('METADATA'), ...described('the form')].map((each) => [each]),
    );
    return all;
  });

  itAnswers('200 for requirements that old tools wrote', async () => {
    const requiresDist = ['foo (>=1.0,)', `bar[x,y] @ https://example.org/a;b ; extra == 'z'`];
    const each = newPackage({ requiresPython: '>=3.6,', requiresDist });
    const sdist = newPackage();
    const fields = { requires_dist: ' ', requires_python: 'UNKNOWN' };
    return [
      await upload(uploadForm(wheelName(each), wheelOf(each), each)),
      await upload(uploadForm(sdistName(sdist), await sdistOf(sdist), sdist, fields)),
    ];
  });

  itAnswers('400 BODY_MALFORMED for a file that is no distribution', async () => {
    const each = newPackage();
    const whole = wheelOf(each);
    const files: [string, Uint8Array][] = [
      ['file.egg', whole],
      [wheelName(each), Buffer.from('no zip')],
      [wheelName(each), whole.subarray(0, whole.length - 30)],
      [wheelName(each), zipOf({ 'module/__init__.py': '' })],
      [wheelName(each), zipOf({ 'a.dist-info/METADATA': coreMetadata(each), 'b.dist-info/METADATA': 'x' })],
      [wheelName(each), zipOf({ 'a.dist-info/METADATA': 'Name: a\nName: b\nVersion: 1\n' })],
      [sdistName(each), Buffer.from('no gzip')],
      [sdistName(each).replace('.tar.gz', '.zip'), Buffer.from('P')],
    ];
    return Promise.all(
      files.map(async ([name, content]) => upload(uploadForm(name, content, each, { filetype: undefined }))),
    );
  });

  itAnswers('400 BODY_MALFORMED for a form that is no upload', async () => {
    const each = newPackage();
    const [file, wheel] = [wheelName(each), wheelOf(each)];
    return Promise.all([
      upload(uploadForm(file, wheel, each, { ':action': 'submit' })),
      upload(uploadForm(file, wheel, each, { ':action': undefined })),
      upload(uploadForm(file, wheel, each, { protocol_version: '2' })),
      upload(uploadForm(file, wheel, each, { attestations: '[{"version":2}]' })),
      upload(uploadForm(file, wheel, each, { attestations: 'no JSON' })),
      upload(uploadForm(file, wheel, each, {}, 'no signature')),
    ]);
  });

  itAnswers('403 FORBIDDEN for who may only view', async () => {
    const viewer = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, setting.repository, viewer, 'canView');
    const each = newPackage();
    return upload(uploadForm(wheelName(each), wheelOf(each), each), { as: viewer.bearer });
  });
});
