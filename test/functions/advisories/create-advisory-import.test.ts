import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { archiveBounds } from '../../../functions/advisories/archive.ts';
import { createAdvisoryImport, getPackageAdvisories } from '../../../functions/advisories/contracts.ts';
import { entriesPerWrite } from '../../../functions/advisories/written-entries.ts';
import { createUpload } from '../../../functions/packages/contracts.ts';
import type { BodyOf } from '../../../shared/http/contract.ts';
import { stagingObjectKey } from '../../../shared/store/keys.ts';
import { Table } from '../../../shared/table/client.ts';
import { rememberNothing } from '../../../shared/table/creations.ts';
import { queryAll } from '../../../shared/table/query-pages.ts';
import { insertImport } from '../../../shared/table/repositories/advisory-imports.ts';
import { advisoryImportKey, advisoryPagesList } from '../../../shared/table/repositories/advisory-keys.ts';
import { archiveOf, endOf, importArchive, osvEntry, uploadArchive, useImportWorld } from '../../gates/osv.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { announced } from '../../harness/uploads.ts';
import { uniqueName } from '../../harness/world.ts';
import { zipOf } from '../../harness/zips.ts';

const service = useService();
const world = useImportWorld(service);

const allowsFewerEntries = true;

const advisoriesOn = async (name: string, packageType = 'npm') => {
  const as = (await service.world.user()).bearer;
  return service.client.succeed(getPackageAdvisories, { params: { packageType, package: name }, as });
};

const idsOn = async (name: string) => (await advisoriesOn(name)).advisories.map(({ id }) => id);

const attempt = async (body: BodyOf<typeof createAdvisoryImport>, as = world.admin.bearer) =>
  service.client.attempt(createAdvisoryImport, { body, as });

describe('POST /1/advisories/imports', () => {
  itAnswers('201 and imports what an archive says of each name, to be read by every user', async () => {
    const [name, other] = [uniqueName('package'), uniqueName('package')];
    const upload = await uploadArchive(
      world,
      archiveOf([
        osvEntry('MAL-2026-1', name, {}, { ranges: [], versions: ['1.14.1', '1.14.1'] }),
        osvEntry(
          'GHSA-1',
          name,
          { database_specific: { severity: 'HIGH' } },
          {
            ranges: [
              { type: 'GIT', events: [{ introduced: '0' }] },
              { type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '1.2.0' }] },
            ],
          },
        ),
        osvEntry('GHSA-2', name, {
          severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
        }),
        osvEntry('GHSA-5', name, {
          severity: [
            { type: 'CVSS_V4', score: 'CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' },
            { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' },
          ],
        }),
        osvEntry('GHSA-6', name.toUpperCase()),
        osvEntry('GHSA-3', other, { withdrawn: '2026-01-02T00:00:00Z' }),
        osvEntry('GHSA-4', name, {}, { package: { ecosystem: 'npm', name: '../etc' } }),
      ]),
    );
    const answer = await attempt({ packageType: 'npm', upload, allowsFewerEntries });
    const id = answer.result?.id ?? '';
    expect(answer.headers.location).toContain(`/1/advisories/imports/${id}`);
    expect(await endOf(world, id)).toMatchObject({
      state: 'done',
      entries: 7,
      changed: 7,
      unchanged: 0,
      problem: null,
    });
    expect(await queryAll(new Table(), advisoryPagesList('npm', '../etc'))).toEqual([]);
    expect(await idsOn(name.toUpperCase())).toEqual(['GHSA-6']);
    const found = await advisoriesOn(name);
    expect(found).toMatchObject({ package: name, importedAt: expect.any(String) });
    expect(found.advisories).toMatchObject([
      { id: 'MAL-2026-1', kind: 'malware', severity: null, versions: ['1.14.1'], ranges: [] },
      { id: 'GHSA-2', kind: 'vulnerability', severity: 'critical', url: 'https://osv.dev/vulnerability/GHSA-2' },
      {
        id: 'GHSA-1',
        severity: 'high',
        ranges: [
          [
            { event: 'introduced', version: '1.0.0' },
            { event: 'fixed', version: '1.2.0' },
          ],
        ],
      },
      { id: 'GHSA-5', severity: 'high' },
    ]);
    expect(await idsOn(other)).toEqual([]);
    return answer;
  });

  itAnswers('201 and leaves exactly what the next archive has, with what did not change as it is', async () => {
    const names = [uniqueName('a'), uniqueName('b'), uniqueName('c')] as const;
    const [a, b, c] = names;
    const modified = '2026-02-01T00:00:00Z';
    const [one, two, three] = [osvEntry('MAL-1', a), osvEntry('MAL-2', b), osvEntry('MAL-3', a)];
    await importArchive(world, archiveOf([one, two, three]), { allowsFewerEntries });
    expect(await Promise.all(names.map(idsOn))).toEqual([['MAL-1', 'MAL-3'], ['MAL-2'], []]);
    const upload = await uploadArchive(
      world,
      archiveOf([
        one,
        { ...osvEntry('MAL-2', c), modified },
        { ...three, withdrawn: modified, modified },
        osvEntry('MAL-4', c),
      ]),
    );
    const answer = await attempt({ packageType: 'npm', upload });
    expect(await endOf(world, answer.result?.id ?? '')).toMatchObject({ changed: 3, unchanged: 1, removed: 0 });
    expect(await Promise.all(names.map(idsOn))).toEqual([['MAL-1'], [], ['MAL-2', 'MAL-4']]);
    const last = await importArchive(world, archiveOf([osvEntry('MAL-4', c)]), { allowsFewerEntries });
    expect(last).toMatchObject({ changed: 0, unchanged: 1, removed: 3 });
    expect(await Promise.all(names.map(idsOn))).toEqual([[], [], ['MAL-4']]);
    return answer;
  });

  it('reads a limit of * as none', async () => {
    const name = uniqueName('p');
    const limited = (id: string, events: object[]) => osvEntry(id, name, {}, { ranges: [{ type: 'SEMVER', events }] });
    const entries = [
      limited('MAL-1', [{ introduced: '0' }, { limit: '*' }]),
      limited('MAL-2', [{ introduced: '1.0.0' }, { limit: '*' }, { limit: '2.0.0' }]),
      limited('MAL-3', [{ limit: '*' }]),
    ];
    await importArchive(world, archiveOf(entries), { allowsFewerEntries });
    const rangesOf = async () => (await advisoriesOn(name)).advisories.map(({ id, ranges }) => [id, ranges]);
    expect(await rangesOf()).toEqual([
      ['MAL-1', [[{ event: 'introduced', version: '0' }]]],
      [
        'MAL-2',
        [
          [
            { event: 'introduced', version: '1.0.0' },
            { event: 'limit', version: '2.0.0' },
          ],
        ],
      ],
    ]);
  });

  it('ends as replaced, without a failure, where a later one begins meanwhile', async () => {
    const archive = archiveOf(Array.from({ length: 1_500 }, (_, at) => osvEntry(`MAL-${at}`, `replaced-${at}`)));
    const objectKey = stagingObjectKey(`${await uploadArchive(world, archive)}-0`);
    const fields = { packageType: 'npm', allowsFewer: true, objectKey, size: archive.length, sha256: '' } as const;
    const begin = async () => {
      const begun = await insertImport(new Table(), { ...fields, createdBy: 'test' }, rememberNothing);
      return begun === 'key reused' ? '' : begun.importId;
    };
    const importId = await begin();
    const find = async () => {
      const key = advisoryImportKey(importId);
      return (await new Table().read([key])).find(key);
    };
    const run = service.runner.invoke('importer', { importId });
    while (((await find())?.position ?? 0) === 0) await setImmediate();
    const later = await begin();
    await run;
    expect(await find()).toMatchObject({ state: 'replaced', problem: '' });
    const outcomes = service.logs.filter((line) => line.includes('"advisory import"') && line.includes(importId));
    expect(outcomes.map((line) => (JSON.parse(line) as { outcome: string }).outcome)).toEqual(['replaced']);
    await service.runner.invoke('importer', { importId: later });
  });

  it('writes an entry again that has not changed, and of which an earlier release read other names', async () => {
    const [lower, upper] = [uniqueName('old'), uniqueName('old').toUpperCase()];
    const entry = osvEntry('MAL-OLD', lower);
    await importArchive(world, archiveOf([entry]), { allowsFewerEntries });
    const again = { ...entry, affected: osvEntry('MAL-OLD', upper).affected };
    expect(await importArchive(world, archiveOf([again]), { allowsFewerEntries })).toMatchObject({ changed: 1 });
    expect(await Promise.all([lower, upper].map(idsOn))).toEqual([[], ['MAL-OLD']]);
    expect(await importArchive(world, archiveOf([again]), { allowsFewerEntries })).toMatchObject({ changed: 0 });
  });

  it('writes an entry on more names than fit into a transaction, and takes it back', async () => {
    const names = Array.from({ length: 150 }, () => uniqueName('p'));
    const affected = names.flatMap((name) => osvEntry('', name).affected);
    const all = [{ ...osvEntry('MAL-1', ''), affected }, osvEntry('MAL-2', names[0] ?? '')];
    expect(await importArchive(world, archiveOf(all), { allowsFewerEntries })).toMatchObject({ state: 'done' });
    expect(await idsOn(names[0] ?? '')).toEqual(['MAL-1', 'MAL-2']);
    expect(await idsOn(names[149] ?? '')).toEqual(['MAL-1']);
    await importArchive(world, archiveOf([osvEntry('MAL-2', names[0] ?? '')]), { allowsFewerEntries });
    expect(await Promise.all([names[0] ?? '', names[149] ?? ''].map(idsOn))).toEqual([['MAL-2'], []]);
  });

  it('refuses an archive with too few entries, which the request may allow', async () => {
    const all = Array.from({ length: 10 }, (_, at) => osvEntry(`MAL-${at}`, uniqueName('p')));
    await importArchive(world, archiveOf(all), { allowsFewerEntries });
    const refused = await importArchive(world, archiveOf(all.slice(0, 7)));
    expect(refused).toMatchObject({ state: 'refused', changed: 0, removed: 0 });
    expect(refused.problem).toContain('The archive has 7 entries, and the last one had 10');
    expect(await importArchive(world, archiveOf(all.slice(0, 8)))).toMatchObject({ state: 'done', removed: 2 });
    expect(await importArchive(world, archiveOf(all.slice(0, 1)), { allowsFewerEntries })).toMatchObject({
      state: 'done',
    });
    // A run writes its line after its result, and before the next run.
    const counted = service.logs.filter((line) => line.includes('"refusedImports":1'));
    expect(counted.map((line) => JSON.parse(line))).toMatchObject([{ _aws: {}, service: 'stockroom' }]);
  });

  const name = uniqueName('refused');
  const good = osvEntry('MAL-1', name);
  const whole = archiveOf(Array.from({ length: 50 }, (_, at) => osvEntry(`MAL-${at + 1}`, name)));
  const damaged = (at: number): Buffer => {
    const bytes = Buffer.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    return bytes;
  };
  const withLast = (last: object, path = 'MAL-2.json'): Buffer =>
    zipOf([
      { path: 'MAL-1.json', content: JSON.stringify(good) },
      { path, content: JSON.stringify(last) },
    ]);

  it.each([
    ['no archive', Buffer.from('no archive'), 'is no zip archive'],
    ['an empty archive', zipOf([]), 'has no entries'],
    ['half of an archive', whole.subarray(0, whole.length / 2), 'is no zip archive'],
    ['one without its end', whole.subarray(0, -1), 'is no zip archive'],
    ['one with a byte that changed', damaged(60), 'damaged'],
    [
      'one with a letter that changed',
      Buffer.from(
        zipOf([{ path: 'MAL-1.json', content: JSON.stringify({ ...good, summary: 'hijacked' }), method: 0 }])
          .toString('latin1')
          .replace('hijacked', 'hijackeD'),
        'latin1',
      ),
      'MAL-1.json in the archive is damaged',
    ],
    [
      'one of another ecosystem',
      withLast(osvEntry('MAL-2', name, {}, { package: { ecosystem: 'PyPI', name } })),
      'about no package of npm',
    ],
    [
      'one with a file that is no JSON',
      zipOf([{ path: 'MAL-1.json', content: '{' }]),
      'MAL-1.json in the archive is no JSON',
    ],
    ['one with a list', withLast([]), 'no JSON object'],
    [
      'one whose last file of many is no JSON',
      zipOf([
        ...Array.from({ length: 2 * entriesPerWrite }, (_, at) => ({
          path: `MAL-${at}.json`,
          content: JSON.stringify(osvEntry(`MAL-${at}`, name)),
        })),
        { path: 'MAL-last.json', content: '{' },
      ]),
      'MAL-last.json in the archive is no JSON',
    ],
    ['an entry under the name of another one', withLast(osvEntry('MAL-3', name)), 'is no entry of osv.dev'],
    ['an entry without a time', withLast({ id: 'MAL-2', affected: good.affected }), 'needs its id and modified'],
    ['a file that is no entry', withLast(good, 'README.md'), "has 'README.md', which is no entry"],
    ['an entry twice', withLast(good, 'MAL-1.json'), 'has the entry MAL-1 twice'],
    ['an entry of megabytes', withLast({ ...good, summary: 'a'.repeat(archiveBounds.entryBytes) }), 'has more than'],
    [
      'a bomb',
      zipOf(Array.from({ length: 5 }, (_, at) => ({ path: `MAL-${at}.json`, content: ' '.repeat(3_000_000) }))),
      'The entries of the archive have more than',
    ],
    [
      'an entry that says less of itself',
      zipOf([{ path: 'MAL-1.json', content: JSON.stringify(good), saidSize: 3 }]),
      'damaged',
    ],
  ])('refuses %s whole', async (_what, archive, problem) => {
    const found = await importArchive(world, archive, { allowsFewerEntries });
    expect(found).toMatchObject({ state: 'refused', changed: 0, removed: 0 });
    expect(found.problem).toContain(problem);
    expect(await idsOn(name)).toEqual([]);
  });

  itAnswers('400 REQUEST_INVALID for a type without advisories', async () =>
    attempt({ packageType: 'helm', upload: randomUUID() }),
  );

  itAnswers('404 UPLOAD_NOT_FOUND for a session of somebody else', async () => {
    const deployer = await service.world.member(world.workspace, 'admin');
    const upload = await uploadArchive({ ...world, admin: deployer }, archiveOf([good]));
    const refused = await attempt({ packageType: 'npm', upload });
    expect(refused.problem?.detail).toMatch(/ is not yours, .*: begin another one\.$/);
    return refused;
  });

  itAnswers('409 UPLOAD_INCOMPLETE before the archive has arrived', async () => {
    const session = await service.client.succeed(createUpload, {
      params: { workspace: world.workspace.id, repository: world.repository.id },
      body: { packageName: 'advisories', packageVersion: '1.0.0', files: [announced('all.zip', 'content')] },
      as: world.admin.bearer,
    });
    return attempt({ packageType: 'npm', upload: session.id });
  });
});
