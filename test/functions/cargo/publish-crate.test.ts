import { publishCrate } from '../../../functions/cargo/contracts.ts';
import { getPackage, listPackages, publishPackage } from '../../../functions/packages/contracts.ts';
import { without } from '../../../shared/packages/formats/json-objects.ts';
import { sha256 } from '../../harness/bytes.ts';
import {
  archiveOf,
  crateFileOf,
  errorsOf,
  framed,
  linesOf,
  manifestOf,
  metadataOf,
  publishBodyOf,
  useCargoRegistry,
} from '../../harness/cargo.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { formOf } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const registry = useCargoRegistry(service);
const { setting, send, publish, published, index } = registry;

const put = async (body: Uint8Array) => send(publishCrate, 'api/v1/crates/new', { body });

/** Dependencies as `cargo publish` sends them, and as Cargo.toml has them. */
const crateWithDependencies = (name: string, version = '1.2.0+build.7') => ({
  crate: {
    name,
    version,
    tables: `rust-version = "1.70"
links = "zoo"

[features]
default = ["std"]
std = []
extra = ["dep:serde"]
weak = ["log?/std"]

[dependencies.log]
version = "0.4"
optional = true
default-features = false
features = ["kv"]

[dependencies.serde]
version = "1.0.100, <2"
optional = true

[dependencies.renamed]
version = "=2.0.0"
package = "other-crate"
registry-index = "sparse+https://crates.example.com/index/"

[target."cfg(unix)".build-dependencies]
cc = "1.*"
`,
  },
  fields: {
    deps: [
      {
        name: 'log',
        version_req: '^0.4',
        features: ['kv'],
        optional: true,
        default_features: false,
        target: null,
        kind: 'normal',
        registry: 'https://github.com/rust-lang/crates.io-index',
      },
      {
        name: 'serde',
        version_req: '^1.0.100, <2',
        features: [],
        optional: true,
        default_features: true,
        target: null,
        kind: 'normal',
        registry: 'https://github.com/rust-lang/crates.io-index',
      },
      {
        name: 'other-crate',
        version_req: '=2.0.0',
        features: [],
        optional: false,
        default_features: true,
        target: null,
        kind: 'normal',
        registry: 'sparse+https://crates.example.com/index/',
        explicit_name_in_toml: 'renamed',
      },
      {
        name: 'cc',
        version_req: '1.*',
        features: [],
        optional: false,
        default_features: true,
        target: 'cfg(unix)',
        kind: 'build',
        registry: 'https://github.com/rust-lang/crates.io-index',
      },
    ],
    features: { default: ['std'], std: [], extra: ['dep:serde'], weak: ['log?/std'] },
    links: 'zoo',
    rust_version: '1.70',
    from_a_later_cargo: { kept: true },
  },
});

describe('PUT /cargo/{workspace}/{repository}/api/v1/crates/new', () => {
  itAnswers('200 with no warnings, and the next read has the line of the version', async () => {
    const name = uniqueName('Crate');
    const { crate, fields } = crateWithDependencies(name);
    const answer = await publish(crate, fields);
    expect(answer.result).toEqual({ warnings: { invalid_categories: [], invalid_badges: [], other: [] } });
    const { text } = await index(name);
    const [log, serde, other, cc] = fields.deps.map((dependency): object =>
      Object.assign(without(dependency, 'version_req', 'explicit_name_in_toml'), { req: dependency.version_req }),
    );
    expect(linesOf(text)).toEqual([
      {
        name,
        vers: '1.2.0+build.7',
        deps: [log, serde, { ...other, name: 'renamed', package: 'other-crate' }, cc],
        cksum: sha256(await crateFileOf(crate)),
        features: { default: ['std'], std: [] },
        features2: { extra: ['dep:serde'], weak: ['log?/std'] },
        yanked: false,
        links: 'zoo',
        rust_version: '1.70',
        pubtime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
        v: 2,
      },
    ]);
    return answer;
  });

  itAnswers('201 for packages/single, which makes the same line of Cargo.toml alone', async () => {
    const [one, other] = [uniqueName('crate'), uniqueName('crate')];
    const byCargo = crateWithDependencies(one);
    await published(byCargo.crate, byCargo.fields);
    const { crate } = crateWithDependencies(other);
    const answer = await service.client.attempt(publishPackage, {
      params: { workspace: setting.workspace.id, repository: setting.repository.id },
      bytes: formOf([{ file: `${other}-1.2.0.crate`, content: await crateFileOf(crate) }]),
      as: setting.admin.bearer,
    });
    expect(answer.status).toBe(201);
    const cksum = sha256(await crateFileOf(crate));
    const [expected] = linesOf((await index(one)).text);
    expect(linesOf((await index(other)).text)).toEqual([
      { ...expected, name: other, cksum, pubtime: expect.any(String) as string },
    ]);
    return answer;
  });

  it('lists the crate under the spelling of its publisher, once for all spellings', async () => {
    const word = uniqueName().replaceAll('-', '');
    await published({ name: `My_${word}` });
    const params = { workspace: setting.workspace.id, repository: setting.repository.id };
    const { packages } = await service.client.succeed(listPackages, {
      params,
      query: { search: `my-${word}` },
      as: setting.admin.bearer,
    });
    expect(packages).toMatchObject([{ name: `my-${word}`, displayName: `My_${word}`, latestVersion: '1.0.0' }]);
  });

  itAnswers('409 VERSION_EXISTS for a version that is there, whatever its build metadata', async () => {
    const name = await published();
    const answers = [
      await publish({ name, version: '1.0.0' }),
      await publish({ name, version: '1.0.0+other', code: 'other' }),
    ];
    expect(answers.map(errorsOf)).toEqual(
      answers.map(() => [
        `${name} 1.0.0 already exists, and what was published never changes. Publish the change under a new version.`,
      ]),
    );
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for another spelling of a name that is there', async () => {
    const word = uniqueName().replaceAll('-', '');
    await published({ name: `my-${word}` });
    const answers = await Promise.all([`my_${word}`, `My-${word}`].map((name) => publish({ name, version: '2.0.0' })));
    for (const answer of answers)
      expect(errorsOf(answer)).toEqual([expect.stringMatching(`'my-${word}' in .*: publish it under that name\\.`)]);
    expect(linesOf((await index(`my-${word}`)).text)).toHaveLength(1);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID with a sentence for each broken rule, as Cargo prints them', async () => {
    const crate = { name: uniqueName('crate'), version: '1.0.0' };
    const answers = [
      await publish({ ...crate, name: 'nul' }),
      await publish({ ...crate, name: `a${'b'.repeat(64)}` }),
      await publish({ ...crate, version: '1.0' }),
      await publish(crate, { name: uniqueName('another') }),
      await publish(crate, { vers: '1.0.1' }),
      await publish(crate, { deps: [{ name: 'serde' }], features: { a: 'b' } }),
      await publish(crate, { rust_version: 'garbage' }),
    ];
    expect(errorsOf(answers[6] as Answer)).toEqual([
      'rust_version must be one to three numbers, such as 1.70 or 1.70.1.',
    ]);
    expect(errorsOf(answers[5] as Answer)).toEqual([
      'The dependency 0 must have a version_req, such as ^1.0.',
      'features must be an object whose values are arrays of texts.',
    ]);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for metadata with other dependencies than Cargo.toml, which name them', async () => {
    const { crate, fields } = crateWithDependencies(uniqueName('crate'));
    const [log, serde, other, cc] = fields.deps;
    const lacks = await publish(crate, { ...fields, deps: [log, other, cc] });
    const adds = await publish(crate, { ...fields, deps: [...fields.deps, { ...cc, name: 'evil' }] });
    const others = [
      { version_req: '^0.3' },
      { features: [] },
      { optional: false },
      { default_features: true },
      { target: 'cfg(windows)' },
      { kind: 'build' },
      { registry: null },
      { explicit_name_in_toml: 'logger' },
    ];
    const changes = [];
    for (const change of others)
      changes.push(await publish(crate, { ...fields, deps: [{ ...log, ...change }, serde, other, cc] }));
    const sentenceOf = (name: string) => [
      `The dependency ${name} of the metadata must be that of Cargo.toml in the crate.`,
    ];
    expect([lacks, adds, ...changes].map(errorsOf)).toEqual([
      sentenceOf('serde'),
      sentenceOf('evil'),
      ...others.map(() => sentenceOf('log')),
    ]);
    return [lacks, adds, ...changes];
  });

  itAnswers('400 PACKAGE_INVALID for metadata with other features, links or rust_version than Cargo.toml', async () => {
    const { crate, fields } = crateWithDependencies(uniqueName('crate'));
    const changes = [
      { features: { ...fields.features, evil: [] } },
      { features: { ...fields.features, default: [] } },
      { features: without(fields.features, 'weak') },
      { links: 'other' },
      { rust_version: '1.71' },
    ];
    const answers = [];
    for (const change of changes) answers.push(await publish(crate, { ...fields, ...change }));
    const sentenceOf = (what: string) => [`The ${what} of the metadata must be that of Cargo.toml in the crate.`];
    expect(answers.map(errorsOf)).toEqual(
      ['feature evil', 'feature default', 'feature weak', 'links', 'rust_version'].map(sentenceOf),
    );
    return answers;
  });

  itAnswers('200 for what versions of Cargo leave out of the metadata, or add to it', async () => {
    const { crate, fields } = crateWithDependencies(uniqueName('crate'));
    const features = { ...fields.features, log: ['dep:log'], default: ['std', 'std'] };
    // Of a dependency of tests that has no version.
    const tables = crate.tables.replace('std = []', 'std = ["a-test/std"]');
    return publish({ ...crate, tables }, { ...fields, features, links: undefined, rust_version: undefined });
  });

  itAnswers('400 PACKAGE_INVALID for features that Cargo could not read, also without metadata', async () => {
    const sent = crateWithDependencies('a').fields;
    const answers = [];
    const refusals = [];
    for (const [name, values] of [
      ['a', ['dep:zz']],
      ['a', ['b']],
      ['a', ['zz/b']],
      ['a', ['serde']],
      ['a', ['renamed']],
      ['a', ['dep:renamed']],
      ['a', ['renamed?/std']],
      ['a', ['other-crate/std']],
      ['bad feature name!!', []],
      ['dep:a', []],
      ['log', []],
    ] as const) {
      const { crate } = crateWithDependencies(uniqueName('crate'), '1.0.0');
      const features = name === 'log' ? { log: [] } : { extra: ['dep:serde'], [name]: values };
      const table = Object.entries(features).map(([key, all]) => `${JSON.stringify(key)} = ${JSON.stringify(all)}\n`);
      const tables = crate.tables.replace(/default = .*\nstd.*\nextra.*\nweak.*\n/, () => table.join(''));
      answers.push(await publish({ ...crate, tables }, { ...sent, features }));
      refusals.push(errorsOf(answers.at(-1) as Answer));
      const single = await service.client.attempt(publishPackage, {
        params: { workspace: setting.workspace.id, repository: setting.repository.id },
        bytes: formOf([{ file: `${crate.name}-1.0.0.crate`, content: await crateFileOf({ ...crate, tables }) }]),
        as: setting.admin.bearer,
      });
      expect(single.status).toBe(400);
    }
    const enabled = (value: string) => [
      `The feature a enables '${value}', which must be another feature, an optional dependency as in dep:name, or a feature of a dependency as in name/feature.`,
    ];
    expect(refusals).toEqual([
      ...['dep:zz', 'b', 'zz/b', 'serde', 'renamed', 'dep:renamed', 'renamed?/std', 'other-crate/std'].map(enabled),
      [expect.stringMatching(/^'bad feature name!!' is no name of a feature/)],
      [expect.stringMatching(/^'dep:a' is no name of a feature/)],
      ['The feature log has the name of an optional dependency, which a feature must enable as dep:log.'],
    ]);
    return answers;
  });

  itAnswers('200 for all that a feature may enable, by its name in Cargo.toml', async () => {
    const { crate, fields } = crateWithDependencies(uniqueName('crate'));
    const features = {
      '1x+y.z-ü_': ['log', 'renamed/std', 'serde?/derive', 'log/std', 'cc/parallel'],
      serde: ['dep:serde'],
    };
    const table = Object.entries(features).map(([key, all]) => `${JSON.stringify(key)} = ${JSON.stringify(all)}\n`);
    const tables = crate.tables.replace(/default = .*\nstd.*\nextra.*\nweak.*\n/, () => table.join(''));
    return publish({ ...crate, tables }, { ...fields, features });
  });

  itAnswers('200 for dependencies that Cargo writes in another way, and for those of tests alone', async () => {
    const { crate, fields } = crateWithDependencies(uniqueName('crate'));
    const [log, serde, other, cc] = fields.deps;
    const deps = [
      { ...cc, version_req: '1.x' },
      // Of the registry that it is published to.
      { ...other, registry: null },
      { ...serde, version_req: '^1.0.100,<2' },
      { ...log, version_req: '0.4', registry: 'sparse+https://index.crates.io/' },
      { ...log, name: 'a-test', kind: 'dev' },
    ];
    return publish(crate, { ...fields, deps });
  });

  itAnswers('400 BODY_MALFORMED for a body that is not that of cargo publish', async () => {
    const crate = { name: uniqueName('crate'), version: '1.0.0' };
    const [body, metadata] = [await publishBodyOf(crate), metadataOf(crate)];
    const folder = `${crate.name}-1.0.0`;
    const manifest = manifestOf(crate);
    const archives = [
      { [`${folder}/src/lib.rs`]: '' },
      { [`${folder}/Cargo.toml`]: 'name =' },
      { [`${folder}/Cargo.toml`]: manifest, 'elsewhere/lib.rs': '' },
      { [`${folder}/Cargo.toml`]: manifest, [`${folder}/../lib.rs`]: '' },
    ];
    const bodies = [
      Buffer.alloc(0),
      Buffer.alloc(8),
      body.subarray(0, -1),
      Buffer.concat([body, Buffer.alloc(1)]),
      Buffer.concat([Buffer.alloc(4, 0xff), body]),
      framed([], await crateFileOf(crate)),
      framed(metadata, Buffer.from('no archive')),
      ...(await Promise.all(archives.map(async (files) => framed(metadata, await archiveOf(files))))),
      framed(metadata, await archiveOf({ [`${folder}/Cargo.toml`]: manifest }, { [`${folder}/src`]: '/etc' })),
    ];
    return Promise.all(bodies.map(put));
  });

  itAnswers('400 REPOSITORY_READ_ONLY at a remote repository', async () => {
    const repository = await createRemote(service, setting.workspace, { packageType: 'cargo' });
    return publish({ name: uniqueName('crate'), version: '1.0.0' }, {}, { repository });
  });

  it('has one package for a name, also when two spellings of it come at the same time', async () => {
    const word = uniqueName().replaceAll('-', '');
    const names = [`my-${word}`, `my_${word}`, `MY-${word}`];
    const answers = await Promise.all(names.map((name, at) => publish({ name, version: `1.0.${at}` })));
    expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '400', '400']);
    const params = { workspace: setting.workspace.id, repository: setting.repository.id, package: `my-${word}` };
    const { versionCount } = await service.client.succeed(getPackage, { params, as: setting.admin.bearer });
    expect(versionCount).toBe(1);
  });
});
