import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { getCrate, getCrateIndex } from '../../functions/cargo/contracts.ts';
import { indexPathOf } from '../../functions/cargo/names.ts';
import { getComposerDocument } from '../../functions/composer/contracts.ts';
import { getHelmDocument } from '../../functions/helm/contracts.ts';
import { getDistTags, getNpmDocument } from '../../functions/npm/contracts.ts';
import { getPypiDocument, getPypiProject } from '../../functions/pypi/contracts.ts';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { PackageType } from '../../shared/package-types.ts';
import { cachedDocumentKey, type DocumentName } from '../../shared/table/packages/package-keys.ts';
import { linesOf } from '../harness/cargo.ts';
import type { Answer } from '../harness/client.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { abbreviatedType, packumentOf, upstreamTarballOf } from '../harness/npm.ts';
import { jsonPage, wheelName, wheelOf, zipOf } from '../harness/pypi.ts';
import { age, useRemotes } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

const { service, upstream } = useRemotes();
const begun: Partial<{ workspace: Named; admin: Actor }> = {};
const setting = begun as Required<typeof begun>;
beforeAll(async () => {
  const { world } = service;
  Object.assign(begun, { workspace: await world.workspace(), admin: await world.systemAdmin() });
});

const hour = 3_600_000;
const rounds = Number(process.env.GATE_ROUNDS ?? 4);

/** A version of an upstream, and its age in hours; undefined if the upstream says no time. */
type Ages = Readonly<Record<string, number | undefined>>;

const timeAgo = (hours: number): string => `${new Date(Date.now() - hours * hour).toISOString().slice(0, 19)}Z`;
const timeOf = (hours: number | undefined): string | undefined => (hours === undefined ? undefined : timeAgo(hours));

const ask = async (
  contract: Contract,
  type: PackageType,
  { name }: Pick<Named, 'name'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method: 'GET' | 'HEAD' = 'GET',
): Promise<Answer> => {
  const request = {
    method,
    path: `/${type}/${setting.workspace.name}/${name}/${path}`,
    headers: Object.entries({ Authorization: setting.admin.bearer, ...headers }),
  };
  // A refusal of HEAD has no body to check.
  return method === 'HEAD' ? service.client.raw(request) : service.client.sendTo(contract, request);
};

const newName = (): string => uniqueName('p').replaceAll(/[^a-z0-9]/g, '');

const json = ({ text }: Answer): unknown => JSON.parse(text);

/** What the clients of a package type read of a remote repository, and what its upstream has. */
interface GatedType {
  readonly type: PackageType;
  /** By default, a plain name. */
  readonly newName?: () => string;
  readonly answer: (name: string, ages: Ages) => RequestListener;
  /** The versions in each form of each document. */
  readonly listed: (repository: Named, name: string) => Promise<readonly (readonly string[])[]>;
  /** The answers to requests for the index, in each form. */
  readonly documents: (
    repository: Named,
    name: string,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<readonly Answer[]>;
  /** The paths of a version and of what belongs to it. */
  readonly files: (name: string, version: string) => readonly string[];
  readonly file: Contract;
}

const sent =
  (routes: Readonly<Record<string, string | Uint8Array>>): RequestListener =>
  (request, response) => {
    const body = routes[decodeURIComponent(request.url ?? '').split('?')[0] ?? ''];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  };

const short = { Accept: abbreviatedType };

const npm: GatedType = {
  type: 'npm',
  file: getNpmDocument,
  answer: (name, ages) => (request, response) => {
    const isFull = !request.headers.accept?.includes(abbreviatedType);
    const versions = Object.fromEntries(Object.keys(ages).map((version) => [version, {}]));
    const time = Object.fromEntries(Object.entries(ages).map(([version, hours]) => [version, timeOf(hours)]));
    const modified = timeAgo(0);
    const packument = {
      ...packumentOf(upstream.url, name, versions, isFull),
      ...(isFull ? { time: { ...time, modified } } : { modified }),
    };
    const tarballs = Object.keys(ages).map((version) => [
      `/${name}/-/${name}-${version}.tgz`,
      upstreamTarballOf(name, version),
    ]);
    sent({ [`/${name}`]: JSON.stringify(packument), ...Object.fromEntries(tarballs) })(request, response);
  },
  documents: async (repository, name, headers = {}) => [
    await ask(getNpmDocument, 'npm', repository, name, headers),
    await ask(getNpmDocument, 'npm', repository, name, { ...short, ...headers }),
  ],
  listed: async (repository, name) => {
    const documents = await npm.documents(repository, name);
    const forWriting = await ask(getNpmDocument, 'npm', repository, `${name}?write=true`);
    const tags = await ask(getDistTags, 'npm', repository, `-/package/${name}/dist-tags`);
    const lists = [...documents, forWriting].map(
      (each) => json(each) as { versions: object; time?: object; 'dist-tags': Record<string, string> },
    );
    for (const { versions, time = {}, 'dist-tags': tagged } of lists) {
      expect(Object.keys(versions)).toEqual(expect.arrayContaining([...new Set(Object.values(tagged))]));
      expect(Object.keys(time).filter((key) => /^\d/.test(key) && !(key in versions))).toEqual([]);
      expect(Object.keys(versions)).toEqual(
        expect.arrayContaining(Object.values(json(tags) as Record<string, string>)),
      );
    }
    return lists.map(({ versions }) => Object.keys(versions));
  },
  files: (name, version) => [`${name}/-/${name}-${version}.tgz`, `${name}/${version}`],
};

const wheel = (name: string, version: string): string => wheelName({ name, version });

const pypi: GatedType = {
  type: 'pypi',
  file: getPypiDocument,
  answer: (name, ages) => {
    const files = Object.entries(ages).map(([version, hours]) => {
      const [filename, bytes] = [wheel(name, version), wheelOf({ name, version })];
      const hashes = { sha256: createHash('sha256').update(bytes).digest('hex') };
      return { filename, url: `${upstream.url}/files/${filename}`, hashes, 'upload-time': timeOf(hours), bytes };
    });
    const page = {
      meta: { 'api-version': '1.1' },
      name,
      versions: Object.keys(ages),
      files: files.map((file) => ({ ...file, bytes: undefined })),
    };
    return sent({
      [`/simple/${name}/`]: JSON.stringify(page),
      ...Object.fromEntries(files.map(({ filename, bytes }) => [`/files/${filename}`, bytes])),
    });
  },
  documents: async (repository, name, headers = {}) => [
    await ask(getPypiDocument, 'pypi', repository, `simple/${name}/`, { Accept: jsonPage, ...headers }),
    await ask(getPypiDocument, 'pypi', repository, `simple/${name}/`, { Accept: 'text/html', ...headers }),
  ],
  listed: async (repository, name) => {
    const [page, html] = await pypi.documents(repository, name);
    const { files, versions } = json(page as Answer) as { files: { filename: string }[]; versions: string[] };
    const inHtml = [...(html?.text ?? '').matchAll(/>\w+-([\d.]+)-py3-none-any\.whl</g)].map(
      ([, version = '']) => version,
    );
    const project = await ask(getPypiProject, 'pypi', repository, `pypi/${name}/json`);
    const releases = project.status === 404 ? [] : Object.keys((json(project) as { releases: object }).releases);
    return [files.map(({ filename }) => filename.split('-')[1] ?? ''), versions, inHtml, releases];
  },
  files: (name, version) => {
    const path = `files/${name}/${version}/${wheel(name, version)}`;
    return [path, `${path}.metadata`];
  },
};

const cksum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const cargo: GatedType = {
  type: 'cargo',
  file: getCrate,
  answer: (name, ages) => {
    const crate = (version: string) => Buffer.from(`crate ${name} ${version}`);
    const lines = Object.entries(ages).map(([vers, hours]) =>
      JSON.stringify({
        name,
        vers,
        deps: [],
        cksum: cksum(crate(vers)),
        features: {},
        yanked: false,
        pubtime: timeOf(hours),
      }),
    );
    return sent({
      '/config.json': JSON.stringify({ dl: `${upstream.url}/dl` }),
      [`/${indexPathOf(name)}`]: `${lines.join('\n')}\n`,
      ...Object.fromEntries(Object.keys(ages).map((version) => [`/dl/${name}/${version}/download`, crate(version)])),
    });
  },
  documents: async (repository, name, headers = {}) => [
    await ask(getCrateIndex, 'cargo', repository, indexPathOf(name), headers),
  ],
  listed: async (repository, name) => {
    const [index] = await cargo.documents(repository, name);
    return [
      linesOf((index as Answer).text)
        .filter(({ yanked }) => yanked === false)
        .map(({ vers }) => vers),
    ];
  },
  files: (name, version) => [`api/v1/crates/${name}/${version}/download`],
};

const chartFile = (name: string, version: string): string => `${name}-${version}.tgz`;

const helm: GatedType = {
  type: 'helm',
  file: getHelmDocument,
  answer: (name, ages) => {
    const chart = (version: string) =>
      Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from(`chart ${name} ${version}`)]);
    const entries = Object.entries(ages).map(([version, hours]) => {
      const urls = [`charts/${chartFile(name, version)}`];
      return { apiVersion: 'v2', name, version, created: timeOf(hours), digest: cksum(chart(version)), urls };
    });
    const charts = Object.keys(ages).flatMap((version) => [
      [`/charts/${chartFile(name, version)}`, chart(version)] as const,
      [`/charts/${chartFile(name, version)}.prov`, Buffer.from('signed')] as const,
    ]);
    const index = { apiVersion: 'v1', generated: timeAgo(0), entries: { [name]: entries } };
    return sent({ '/index.yaml': JSON.stringify(index), ...Object.fromEntries(charts) });
  },
  documents: async (repository, _name, headers = {}) => [
    await ask(getHelmDocument, 'helm', repository, 'index.yaml', headers),
  ],
  listed: async (repository, name) => {
    const [index] = await helm.documents(repository, name);
    return [[...(index?.text ?? '').matchAll(/"version":"([\d.]+)"/g)].map(([, version = '']) => version)];
  },
  files: (name, version) => [`charts/${chartFile(name, version)}`, `charts/${chartFile(name, version)}.prov`],
};

const composer: GatedType = {
  type: 'composer',
  newName: () => `acme/${newName()}`,
  file: getComposerDocument,
  answer: (name, ages) => {
    const zip = (version: string) => zipOf({ 'composer.json': JSON.stringify({ name: name, version }) });
    const versions = Object.entries(ages).map(([version, hours]) => {
      const dist = { type: 'zip', url: `${upstream.url}/zips/${version}`, reference: `ref${version}`, shasum: '' };
      return { name: name, version, version_normalized: `${version}.0`, time: timeOf(hours), dist };
    });
    return sent({
      '/packages.json': JSON.stringify({ 'metadata-url': '/p2/%package%.json' }),
      [`/p2/${name}.json`]: JSON.stringify({ packages: { [name]: versions } }),
      ...Object.fromEntries(Object.keys(ages).map((version) => [`/zips/${version}`, zip(version)])),
    });
  },
  documents: async (repository, name, headers = {}) => [
    await ask(getComposerDocument, 'composer', repository, `p2/${name}.json`, headers),
  ],
  listed: async (repository, name) => {
    const [document] = await composer.documents(repository, name);
    const { packages } = json(document as Answer) as { packages: Record<string, { version: string }[]> };
    return [(packages[name] ?? []).map(({ version }) => version)];
  },
  files: (name, version) => [`dist/${name}/${version}/ref${version}.zip`],
};

type Gate = Exclude<NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'], null | undefined>;

/** The documents in which a remote repository keeps what its upstream lists. */
const documentNames: Readonly<Record<string, (name: string) => readonly DocumentName[]>> = {
  npm: (name) => ['full', 'abbreviated'].map((form) => ({ name, document: `packument ${form}` })),
  pypi: (name) => [{ name, document: 'project page' }],
  cargo: (name) => [{ name, document: `index ${name}` }],
  helm: () => [{ name: 'index.yaml', document: 'index' }],
  composer: (name) => [{ name, document: 'versions' }],
};

/** Lets the time pass for which the copies of the index are fresh. */
const passTime = async ({ type }: GatedType, { id: contentId }: Named, of: string): Promise<void> => {
  for (const { name, document } of documentNames[type]?.(of) ?? [])
    await age(cachedDocumentKey({ contentId, name }, document), 60_000);
};

const remote = async ({ type }: GatedType, releaseGate: Gate | null, fields: object = {}): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url,
    releaseGate,
    ...fields,
  });

const patch = async ({ name }: Named, releaseGate: Gate | null): Promise<unknown> =>
  service.client.succeed(updateRepository, {
    params: { workspace: setting.workspace.id, repository: name },
    body: { releaseGate },
    as: setting.admin.bearer,
  });

const sorted = (versions: Iterable<string>): string[] => [...versions].toSorted();

const download = async ({ type, file, files }: GatedType, repository: Named, name: string, version: string) => {
  const answers: Answer[] = [];
  for (const path of files(name, version))
    for (const method of ['GET', 'HEAD'] as const) answers.push(await ask(file, type, repository, path, {}, method));
  return answers;
};

const ages = fc.dictionary(
  fc.integer({ min: 1, max: 9 }).map((minor) => `1.${minor}.0`),
  fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
  { minKeys: 1, maxKeys: 5 },
);

describe.each([npm, pypi, cargo, helm, composer])('The release gate of a remote repository of $type', (each) => {
  it('shows and serves exactly what passes, in every form and by every path, also through a virtual one', async () => {
    await fc.assert(
      fc.asyncProperty(ages, fc.constantFrom('hold', 'pass', 'firstSeen'), async (generated, untimed) => {
        const name = (each.newName ?? newName)();
        upstream.answer = each.answer(name, generated);
        const gated = await remote(each, { minimumAgeHours: 72, untimed });
        const virtual = await createVirtual(service, setting.workspace, [gated], { packageType: each.type });
        const isPassing = (hours: number | undefined) => (hours === undefined ? untimed !== 'hold' : hours >= 72);
        const passing = sorted(Object.keys(generated).filter((version) => isPassing(generated[version])));
        for (const repository of [gated, virtual]) {
          for (const listed of await each.listed(repository, name)) expect(sorted(listed)).toEqual(passing);
          for (const version of Object.keys(generated))
            for (const { status } of await download(each, repository, name, version))
              expect([version, status]).toEqual([version, passing.includes(version) ? 200 : 403]);
        }
      }),
      { numRuns: rounds },
    );
  }, 60_000);

  itAnswers(
    '403 VERSION_HELD with a sentence that says who holds it back, why, until when and what to do',
    async () => {
      const name = (each.newName ?? newName)();
      upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
      const repository = await remote(each, { minimumAgeHours: 72 });
      const [answer] = await download(each, repository, name, '1.1.0');
      const until = String(answer?.headers['x-stockroom-held-until']);
      expect(Math.abs(Date.parse(until) - Date.now() - 71 * hour)).toBeLessThan(hour / 10);
      expect(answer?.problem?.detail).toContain(
        `${name} 1.1.0 is held back by the release gate of the repository '${repository.name}'`,
      );
      for (const part of ['72 hours', until, `exempt '${name}@1.1.0'`]) expect(answer?.problem?.detail).toContain(part);
      return answer as Answer;
    },
  );

  it('gates what is kept already, and a change bites on the next request', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const repository = await remote(each, null);
    const status = async () => (await download(each, repository, name, '1.1.0')).map((answer) => answer.status);
    const newest = async () => (await each.listed(repository, name)).map((versions) => versions.includes('1.1.0'));
    for (let round = 0; round < rounds; round += 1) {
      expect([new Set(await status()), new Set(await newest())]).toEqual([new Set([200]), new Set([true])]);
      await patch(repository, { minimumAgeHours: 72, exempt: [] });
      expect([new Set(await status()), new Set(await newest())]).toEqual([new Set([403]), new Set([false])]);
      await patch(repository, round % 2 === 0 ? null : { exempt: [`${name}@1.1.0`] });
    }
  }, 60_000);

  it('changes the ETag exactly with the document', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 50, '1.2.0': 1 });
    const repository = await remote(each, null);
    const seen = new Map<string, string>();
    for (const hours of [0, 24, 25, 72, 200, 24, 0]) {
      await patch(repository, { minimumAgeHours: hours });
      for (const [form, { text, headers }] of (await each.documents(repository, name)).entries()) {
        const [body, etag] = [`${form} ${text}`, String(headers.etag)];
        expect([hours, seen.get(body) ?? etag]).toEqual([hours, etag]);
        expect([hours, seen.get(etag) ?? body]).toEqual([hours, body]);
        seen.set(body, etag).set(etag, body);
      }
    }
    const [first] = await each.documents(repository, name);
    const again = await each.documents(repository, name, { 'If-None-Match': String(first?.headers.etag) });
    expect(again[0]?.status).toBe(304);
  });

  it('changes no byte while it only observes, and says what it would do', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const repository = await remote(each, null);
    const bytes = async () => {
      const documents = await each.documents(repository, name);
      const files = await download(each, repository, name, '1.1.0');
      return [...documents, ...files].map(({ text, headers, status }) => [status, text, headers.etag]);
    };
    const before = await bytes();
    await patch(repository, { mode: 'observe', minimumAgeHours: 72 });
    expect(await bytes()).toEqual(before);
    const stateOf = ({ headers }: Answer) => headers['x-stockroom-gate'];
    expect((await each.documents(repository, name)).map(stateOf)).toContain('would-hold');
    expect((await download(each, repository, name, '1.1.0')).map(stateOf)).toContain('would-hold');
    expect((await download(each, repository, name, '1.0.0')).map(stateOf).slice(0, 2)).not.toContain('would-hold');
  });

  it('counts a version without a time from when it was first seen', async () => {
    const name = (each.newName ?? newName)();
    const repository = await remote(each, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    upstream.answer = each.answer(name, { '1.0.0': undefined });
    await each.listed(repository, name);
    upstream.answer = each.answer(name, { '1.0.0': undefined, '1.1.0': undefined });
    await passTime(each, repository, name);
    for (const listed of await each.listed(repository, name)) expect(listed).toEqual(['1.0.0']);
    expect((await download(each, repository, name, '1.1.0')).map(({ status }) => status)).toContain(403);
  });

  it('holds a kept version back that the upstream no longer lists, unless it is told to serve it', async () => {
    const name = (each.newName ?? newName)();
    const fields = { metadataCacheTimeTillRevalidation: 60_000 };
    const repository = await remote(each, { minimumAgeHours: 0 }, fields);
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const statuses = async () =>
      (await download(each, repository, name, '1.1.0')).map(({ status }) => status).slice(0, 2);
    await each.listed(repository, name);
    expect(await statuses()).toEqual([200, 200]);
    upstream.answer = each.answer(name, { '1.0.0': 100 });
    await passTime(each, repository, name);
    expect(await statuses()).toEqual([403, 403]);
    await patch(repository, { withdrawnUpstream: 'serve' });
    expect(await statuses()).toEqual([200, 200]);
  });
});

describe('A packument behind a release gate', () => {
  it('moves the tag of a held version to the highest release below it, and tells npm', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0-rc.1': 90, '1.1.0': 80, '1.2.0-rc.1': 80, '1.3.0': 1 });
    const repository = await remote(npm, { minimumAgeHours: 72 });
    for (const answer of await npm.documents(repository, name)) {
      expect((json(answer) as { 'dist-tags': object })['dist-tags']).toEqual({ latest: '1.1.0' });
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.headers['npm-notice']).toContain(
        `1 version of ${name} is held back by the release gate of '${repository.name}' until 20`,
      );
    }
  });

  it('holds a version back that its full form does not have yet', async () => {
    const name = newName();
    const repository = await remote(npm, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    upstream.answer = npm.answer(name, { '1.0.0': 100 });
    await npm.listed(repository, name);
    upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    await age(cachedDocumentKey({ contentId: repository.id, name }, 'packument abbreviated'), 60_000);
    for (const listed of await npm.listed(repository, name)) expect(listed).toEqual(['1.0.0']);
    expect((await download(npm, repository, name, '1.1.0')).map(({ status }) => status).slice(0, 2)).toEqual([
      403, 403,
    ]);
  });

  it('asks for the full form only of a package that changed lately', async () => {
    const name = newName();
    const repository = await remote(npm, { minimumAgeHours: 72 });
    const packument = { ...packumentOf(upstream.url, name, { '1.0.0': {} }, false), modified: timeAgo(73) };
    upstream.answer = sent({ [`/${name}`]: JSON.stringify(packument) });
    expect((await ask(getNpmDocument, 'npm', repository, name, short)).headers['npm-notice']).toBeUndefined();
    expect(upstream.requests.map(({ headers }) => headers.accept?.includes(abbreviatedType))).toEqual([true]);
  });

  it('leaves a line in the log that says who fetched a version, as the runbook searches for it', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 100 });
    await ask(getNpmDocument, 'npm', await remote(npm, null), `${name}/-/${name}-1.0.0.tgz`);
    const lines = service.logs.filter((line) => line.includes(`${name}-1.0.0.tgz`) && line.includes('"request"'));
    const { outcome, principalId, tokenId } = JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
    expect([outcome, principalId, typeof tokenId]).toEqual(['OK', setting.admin.userId, 'string']);
  });

  it('lets another child of a virtual repository serve what one holds back', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 1 });
    const [held, open] = [await remote(npm, { minimumAgeHours: 72 }), await remote(npm, { minimumAgeHours: 0 })];
    const virtual = await createVirtual(service, setting.workspace, [held, open]);
    for (const listed of await npm.listed(virtual, name)) expect(listed).toEqual(['1.0.0']);
    expect(
      (await download(npm, virtual, name, '1.0.0')).map(({ status, headers }) => [status, headers.warning]),
    ).toContainEqual([200, undefined]);
  });
});
