import { hash } from 'node:crypto';
import { getComposerDocument } from '../../../functions/composer/contracts.ts';
import { checkVersion } from '../../../functions/packages/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { cachedDocumentKey, fileKey } from '../../../shared/table/packages/package-keys.ts';
import { askIn, json, newName, sent, timeAgo } from '../../gates/gated-type.ts';
import { zipOf } from '../../harness/pypi.ts';
import { age, useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote } from '../../harness/repositories.ts';

const { service, upstream, setting } = useRemotes();
const ask = askIn(service, setting);

/** A commit of a version, and how many hours ago it was made. */
type Commit = readonly [version: string, reference: string, hours: number];

const day = 24;

/** Lets the upstream list these commits of a package. */
const serve = (name: string, commits: readonly Commit[]): void => {
  const versions = commits.map(([version, reference, hours]) => ({
    name,
    version,
    time: timeAgo(hours),
    dist: { type: 'zip', url: `${upstream.url}/zips/${reference}`, reference, shasum: '' },
  }));
  const list = (isDevelopment: boolean) => ({
    packages: { [name]: versions.filter(({ version }) => version.startsWith('dev-') === isDevelopment) },
  });
  upstream.answer = sent({
    '/packages.json': JSON.stringify({ 'metadata-url': '/p2/%package%.json' }),
    [`/p2/${name}.json`]: JSON.stringify(list(false)),
    [`/p2/${name}~dev.json`]: JSON.stringify(list(true)),
    ...Object.fromEntries(
      commits.map(([, reference]) => [`/zips/${reference}`, zipOf({ 'composer.json': reference })]),
    ),
  });
};

const remoteOf = async (name: string) => {
  const repository = await createRemote(service, setting.workspace, {
    packageType: 'composer',
    remoteRepositoryUrl: upstream.url,
    metadataCacheTimeTillRevalidation: 60_000,
    releaseGate: { minimumAgeHours: 72 },
  });
  const params = { workspace: setting.workspace.id, repository: repository.id };
  const as = setting.admin.bearer;
  return {
    ref: { contentId: repository.id, name },
    file: async (version: string, reference: string) =>
      ask(getComposerDocument, 'composer', repository, `dist/${name}/${version}/${reference}.zip`),
    listed: async () => {
      const { packages } = json(await ask(getComposerDocument, 'composer', repository, `p2/${name}.json`)) as {
        packages: Record<string, { dist: { reference: string } }[]>;
      };
      return packages[name]?.map(({ dist }) => dist.reference);
    },
    decisionOn: async (version: string) => {
      const body = { packageName: name, version };
      const { repositories } = await service.client.succeed(checkVersion, { params, body, as });
      return repositories.map(({ decision }) => decision);
    },
    setGate: async (releaseGate: object) =>
      service.client.succeed(updateRepository, { params, body: { releaseGate }, as }),
  };
};

const newPackage = (): string => `acme/${newName()}`;

describe('A commit that a branch of Composer has left', () => {
  it('is one that the upstream no longer lists, however young the next one is', async () => {
    const name = newPackage();
    serve(name, [['dev-main', 'aaa', 50 * day]]);
    const remote = await remoteOf(name);
    expect((await remote.file('dev-main', 'aaa')).status).toBe(200);
    serve(name, [['dev-main', 'ccc', 0]]);
    await age(cachedDocumentKey(remote.ref, 'development versions'), 60_000);
    expect((await remote.file('dev-main', 'ccc')).problem?.detail).toContain('it was first seen on');
    expect((await remote.file('dev-main', 'aaa')).problem?.detail).toContain('its upstream no longer lists it');
    const createdAt = new Date(Date.now() - 4 * day * 3_600_000).toISOString();
    await new Table().writeUnrecorded([
      { update: fileKey(remote.ref, 'dev-main', 'aaa.zip'), set: 'SET #createdAt = :at', values: { ':at': createdAt } },
    ]);
    await remote.setGate({ withdrawnUpstream: 'serve' });
    const { status, headers } = await remote.file('dev-main', 'aaa');
    expect([status, headers.warning]).toEqual([200, '199 - "The upstream no longer lists this version"']);
    expect((await remote.file('dev-main', 'ccc')).status).toBe(403);
  });
});

describe('A version of Composer without a reference', () => {
  it('is new when its file is another one, and old while it is the same', async () => {
    const name = newPackage();
    const serveFrom = (paths: readonly string[]): void => {
      const versions = paths.map((path, at) => ({
        name,
        version: `1.${at}.0`,
        time: timeAgo(100 * day),
        dist: { type: 'zip', url: `${upstream.url}${path}`, shasum: '' },
      }));
      upstream.answer = sent({
        '/packages.json': JSON.stringify({ 'metadata-url': '/p2/%package%.json' }),
        [`/p2/${name}.json`]: JSON.stringify({ packages: { [name]: versions } }),
        ...Object.fromEntries(paths.map((path) => [path, zipOf({ 'composer.json': path })])),
      });
    };
    const fileAt = (path: string): string => hash('sha1', `${upstream.url}${path}`);
    serveFrom(['/z1', '/z2']);
    const remote = await remoteOf(name);
    expect(await remote.listed()).toHaveLength(2);
    expect((await remote.file('1.1.0', fileAt('/z2'))).status).toBe(200);
    serveFrom(['/z1', '/z4']);
    await age(cachedDocumentKey(remote.ref, 'versions'), 60_000);
    expect(await remote.listed()).toHaveLength(1);
    expect((await remote.file('1.1.0', fileAt('/z4'))).problem?.detail).toContain('it was first seen on');
    expect((await remote.file('1.0.0', fileAt('/z1'))).status).toBe(200);
  });
});

describe('A version that a document of Composer lists with two commits', () => {
  const [old, young]: [Commit, Commit] = [
    ['1.0.0', 'aaa', 100 * day],
    ['1.0.0', 'ccc', 2],
  ];

  it.each([
    ['first', [old, young]],
    ['last', [young, old]],
  ])('is held back as the commit that is too young, also if the old one is listed %s', async (_, commits) => {
    const name = newPackage();
    serve(name, commits);
    const remote = await remoteOf(name);
    expect(await remote.listed()).toEqual(['aaa']);
    expect((await remote.file('1.0.0', 'ccc')).code).toBe('VERSION_HELD');
    expect((await remote.file('1.0.0', 'aaa')).status).toBe(200);
    expect(await remote.decisionOn('1.0.0')).toEqual(['held']);
  });
});
