import type { RequestListener } from 'node:http';
import fc from 'fast-check';
import { getChocolateyDocument } from '../../functions/chocolatey/contracts.ts';
import { getComposerDocument } from '../../functions/composer/contracts.ts';
import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { getGoFile } from '../../functions/go/contracts.ts';
import { getNpmDocument } from '../../functions/npm/contracts.ts';
import { updateRepository } from '../../functions/repositories/contracts.ts';
import { updateVerdict } from '../../functions/verdicts/contracts.ts';
import { cachedDocumentKey } from '../../shared/table/packages/package-keys.ts';
import { gatedTypes, sampledGates } from '../gates/all.ts';
import { composerGate } from '../gates/composer.ts';
import { askIn, type GatedType, json, newName, rewritten, sent, timeAgo } from '../gates/gated-type.ts';
import { gemsGate } from '../gates/gems.ts';
import { goGate } from '../gates/go.ts';
import { helmGate } from '../gates/helm.ts';
import { mavenGate } from '../gates/maven.ts';
import { npmGate } from '../gates/npm.ts';
import { chocolateyGate, nugetGate } from '../gates/nupkgs.ts';
import type { Answer } from '../harness/client.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { abbreviatedType, packumentOf } from '../harness/npm.ts';
import { age, useRemotes } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { roundsOf } from '../harness/sampling.ts';
import { refusing } from '../harness/upstream.ts';
import type { Named } from '../harness/world.ts';
import { versionsIn } from '../types/feeds.ts';

const { service, upstream, setting } = useRemotes();

const hour = 3_600_000;
const rounds = Number(process.env.GATE_ROUNDS ?? roundsOf(4));

const ask = askIn(service, setting);

const npm = npmGate({ upstream, ask });
const short = { Accept: abbreviatedType };

type Gate = Exclude<NonNullable<Parameters<typeof createRemote>[2]>['releaseGate'], null | undefined>;

/** Lets the time pass for which the copies of the index are fresh. */
const passTime = async (
  { kept, keptOf }: GatedType,
  { id: contentId }: Named,
  of: string,
  version?: string,
): Promise<void> => {
  const ofVersion = version === undefined ? [] : (keptOf?.(of, version) ?? []);
  for (const { name, document } of [...kept(of), ...ofVersion])
    await age(cachedDocumentKey({ contentId, name }, document), 60_000);
};

const remote = async (
  { type, urlPath = '' }: GatedType,
  releaseGate: Gate | null,
  fields: object = {},
): Promise<Named> =>
  createRemote(service, setting.workspace, {
    packageType: type,
    remoteRepositoryUrl: upstream.url + urlPath,
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

const anyAge = fc.integer({ min: 1, max: 200 });
const agesOf = ({ isAlwaysTimed }: GatedType) =>
  fc.dictionary(
    fc.integer({ min: 1, max: 9 }).map((minor) => `1.${minor}.0`),
    isAlwaysTimed ? anyAge : fc.option(anyAge, { nil: undefined }),
    { minKeys: 1, maxKeys: 5 },
  );

const named = ({ versionOf = (version) => version }: GatedType, version: string): string => versionOf(version);

const types = sampledGates({ upstream, ask });

describe.each(types)('The release gate of a remote repository of $type', (each) => {
  it('shows and serves exactly what passes, in every form and by every path, also through a virtual one', async () => {
    await fc.assert(
      fc.asyncProperty(agesOf(each), fc.constantFrom('hold', 'pass', 'firstSeen'), async (generated, untimed) => {
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

  it('takes a time before 1990 for none', async () => {
    const name = (each.newName ?? newName)();
    const hoursSince = (time: string): number => (Date.now() - Date.parse(time)) / hour;
    const none = { '1.1.0': hoursSince('1970-01-01T00:00:01Z'), '1.2.0': hoursSince('0001-01-01T00:00:01Z') };
    upstream.answer = each.answer(name, { '1.0.0': 100, ...none });
    const repository = await remote(each, { minimumAgeHours: 72, untimed: 'hold' });
    for (const listed of await each.listed(repository, name)) expect(listed).toEqual(['1.0.0']);
    for (const version of Object.keys(none))
      for (const { status } of await download(each, repository, name, version))
        expect([version, status]).toEqual([version, 403]);
    for (const { status } of await download(each, repository, name, '1.0.0')) expect(status).toBe(200);
  });

  it('counts such a version from when it was first seen', async () => {
    const name = (each.newName ?? newName)();
    const epoch = Date.now() / hour;
    const repository = await remote(each, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    upstream.answer = each.answer(name, { '1.0.0': epoch });
    await each.listed(repository, name);
    upstream.answer = each.answer(name, { '1.0.0': epoch, '1.1.0': epoch });
    await passTime(each, repository, name);
    for (const listed of await each.listed(repository, name)) expect(listed).toEqual(['1.0.0']);
  });

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
        `${name} ${named(each, '1.1.0')} is held back by the release gate of the repository '${repository.name}'`,
      );
      for (const part of ['72 hours', until, `exempt '${name}@${named(each, '1.1.0')}'`])
        expect(answer?.problem?.detail).toContain(part);
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
      await patch(repository, round % 2 === 0 ? null : { exempt: [`${name}@${named(each, '1.1.0')}`] });
    }
  }, 60_000);

  it('holds nothing back in a virtual repository that another child lets pass, whichever is first', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const [gated, free] = [await remote(each, { minimumAgeHours: 72 }), await remote(each, null)];
    for (const children of [
      [gated, free],
      [free, gated],
    ]) {
      const virtual = await createVirtual(service, setting.workspace, children, { packageType: each.type });
      for (const listed of await each.listed(virtual, name)) expect(sorted(listed)).toEqual(['1.0.0', '1.1.0']);
      for (const { status } of await download(each, virtual, name, '1.1.0')) expect(status).toBe(200);
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

  it('holds a kept version back that the upstream no longer lists, unless it is exempt or to be served', async () => {
    const name = (each.newName ?? newName)();
    const fields = { metadataCacheTimeTillRevalidation: 60_000 };
    const repository = await remote(each, { minimumAgeHours: 0 }, fields);
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const statuses = async () =>
      (await download(each, repository, name, '1.1.0')).map(({ status }) => status).slice(0, 2);
    await each.listed(repository, name);
    expect(await statuses()).toEqual([200, 200]);
    upstream.answer = each.answer(name, { '1.0.0': 100 });
    await passTime(each, repository, name, '1.1.0');
    expect(await statuses()).toEqual([403, 403]);
    await patch(repository, { exempt: [`${name}@${named(each, '1.1.0')}`] });
    expect(await statuses()).toEqual([200, 200]);
    await patch(repository, { exempt: [] });
    expect(await statuses()).toEqual([403, 403]);
    await patch(repository, { withdrawnUpstream: 'serve' });
    expect(await statuses()).toEqual([200, 200]);
    for (const { headers } of (await download(each, repository, name, '1.1.0')).slice(0, 2))
      expect(headers).toHaveProperty('warning', '199 - "The upstream no longer lists this version"');
    for (const { headers } of await download(each, repository, name, '1.0.0'))
      expect(headers).not.toHaveProperty('warning');
  });
});

describe.each(types.filter(({ isAlwaysTimed }) => !isAlwaysTimed))('The release gate of $type', (each) => {
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
});

describe.each(gatedTypes({ upstream, ask }))('What a release gate remembers of $type', (each) => {
  it('counts a version whose time is gone from the time that it had', async () => {
    const name = (each.newName ?? newName)();
    const repository = await remote(each, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    const [timed, untimed] = [
      { '1.0.0': 100, '1.1.0': 2 },
      { '1.0.0': undefined, '1.1.0': undefined },
    ];
    for (const ages of [timed, untimed, timed, untimed]) {
      upstream.answer = each.answer(name, ages);
      for (const version of Object.keys(ages)) await passTime(each, repository, name, version).catch(() => undefined);
      for (const listed of await each.listed(repository, name)) expect(listed).toEqual(['1.0.0']);
      for (const { status } of await download(each, repository, name, '1.1.0')) expect(status).toBe(403);
      for (const { status } of await download(each, repository, name, '1.0.0')) expect(status).toBe(200);
    }
  });
});

const mayBeUntimed = gatedTypes({ upstream, ask }).filter(({ isAlwaysTimed }) => !isAlwaysTimed);

describe.each(mayBeUntimed)('While its upstream has nothing of a package, a release gate of $type', (each) => {
  const fields = { metadataCacheTimeTillRevalidation: 60_000 };
  const untimed = { '1.0.0': undefined, '1.1.0': undefined };

  /** Lets the upstream have nothing of the package for two questions, and then these versions without times. */
  const loseFor = async (repository: Named, name: string): Promise<void> => {
    upstream.answer = refusing(404);
    for (let question = 0; question < 2; question += 1) {
      for (const version of Object.keys(untimed))
        await passTime(each, repository, name, version).catch(() => undefined);
      await each.documents(repository, name);
      await download(each, repository, name, '1.1.0');
    }
    upstream.answer = each.answer(name, untimed);
  };

  const expectHeld = async (repository: Named, name: string): Promise<void> => {
    for (const version of Object.keys(untimed)) await passTime(each, repository, name, version).catch(() => undefined);
    for (const listed of await each.listed(repository, name)) expect(listed).toEqual(['1.0.0']);
    expect((await download(each, repository, name, '1.1.0')).map(({ status }) => status)).toContain(403);
    for (const { status } of await download(each, repository, name, '1.0.0')) expect(status).toBe(200);
  };

  it('remembers when it first saw a version', async () => {
    const name = (each.newName ?? newName)();
    const repository = await remote(each, { minimumAgeHours: 72 }, fields);
    upstream.answer = each.answer(name, { '1.0.0': undefined });
    await each.listed(repository, name);
    upstream.answer = each.answer(name, untimed);
    await expectHeld(repository, name);
    await loseFor(repository, name);
    await expectHeld(repository, name);
    await expectHeld(repository, name);
  });

  it('remembers the time of a version', async () => {
    const name = (each.newName ?? newName)();
    const repository = await remote(each, { minimumAgeHours: 72 }, fields);
    upstream.answer = each.answer(name, { '1.0.0': 100, '1.1.0': 2 });
    await expectHeld(repository, name);
    await loseFor(repository, name);
    await expectHeld(repository, name);
    await expectHeld(repository, name);
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

  it('tells npm of each version once that no child has, and of blocked ones that no gate holds them', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0': 80, '1.2.0': 10, '1.3.0': 1 });
    const gates = [{ minimumAgeHours: 72 }, { minimumAgeHours: 72 }, { minimumAgeHours: 5 }];
    const children = await Promise.all(gates.map(async (gate) => remote(npm, gate)));
    await service.client.succeed(updateVerdict, {
      params: { workspace: setting.workspace.id, packageType: 'npm', package: name },
      body: { verdict: 'block', versions: ['1.1.0'], reason: 'Hijacked' },
      as: setting.admin.bearer,
    });
    const noticeFrom = async (repository: Named) =>
      (await ask(getNpmDocument, 'npm', repository, name)).headers['npm-notice'];
    const virtualOver = async (of: readonly Named[]) => createVirtual(service, setting.workspace, of);
    const waits = `2 versions of ${name} are held back by the release gate of '`;
    const isBlocked = `1 version of ${name} is blocked.`;
    expect(await noticeFrom(await virtualOver(children.slice(0, 2)))).toMatch(
      new RegExp(`^${waits}.*\\. ${isBlocked}$`),
    );
    expect(await noticeFrom(await virtualOver(children))).toMatch(
      new RegExp(`^1 version of ${name} is held back by .*\\. ${isBlocked}$`),
    );
    const open = await remote(npm, null);
    expect(await noticeFrom(open)).toBe(isBlocked);
  });

  it('moves each tag of a held version, or loses it where no release is below', async () => {
    const name = newName();
    const ages = { '0.1.0': 1, '1.0.0': 100, '1.1.0': 80, '1.2.0': 1 };
    const modified = timeAgo(0);
    const time = Object.fromEntries(Object.entries(ages).map(([version, hours]) => [version, timeAgo(hours)]));
    const versions = Object.fromEntries(Object.keys(ages).map((version) => [version, {}]));
    const tags = { latest: '1.0.0', next: '1.2.0', first: '0.1.0' };
    upstream.answer = (request, response) => {
      const isFull = !request.headers.accept?.includes(abbreviatedType);
      const packument = { ...packumentOf(upstream.url, name, versions, isFull), 'dist-tags': tags };
      response.end(JSON.stringify({ ...packument, ...(isFull ? { time: { ...time, modified } } : { modified }) }));
    };
    const repository = await remote(npm, { minimumAgeHours: 72 });
    for (const answer of await npm.documents(repository, name))
      expect((json(answer) as { 'dist-tags': object })['dist-tags']).toEqual({ latest: '1.0.0', next: '1.1.0' });
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

  it('counts what it changes and refuses, and what it would if it did not only observe', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const repository = await remote(npm, { minimumAgeHours: 72 });
    const [tarball = ''] = npm.files(name, '1.1.0');
    const countsOf = async () => {
      const before = service.logs.length;
      for (const path of [name, tarball]) await ask(getNpmDocument, 'npm', repository, path);
      const lines = service.logs.slice(before).filter((line) => line.includes('"request"') && line.includes(name));
      return lines.map((line) => {
        const { answersWithout, wouldHold, reason } = JSON.parse(line) as Record<string, unknown>;
        return { answersWithout, wouldHold, reason };
      });
    };
    expect(await countsOf()).toEqual([{ answersWithout: 1 }, { reason: 'VERSION_HELD' }]);
    await patch(repository, { minimumAgeHours: 72, mode: 'observe' });
    expect(await countsOf()).toEqual([{ wouldHold: 1 }, { wouldHold: 1 }]);
  });

  it('lets another child of a virtual repository serve what one holds back', async () => {
    const name = newName();
    upstream.answer = npm.answer(name, { '1.0.0': 1 });
    const [held, open] = [await remote(npm, { minimumAgeHours: 72 }), await remote(npm, { minimumAgeHours: 0 })];
    const virtual = await createVirtual(service, setting.workspace, [held, open]);
    for (const listed of await npm.listed(virtual, name)) expect(listed).toEqual(['1.0.0']);
    for (const { status, headers } of await download(npm, virtual, name, '1.0.0'))
      expect([status, headers.warning]).toEqual([200, undefined]);
  });
});

describe('A module behind a release gate', () => {
  it('is refused in each of its files where the upstream withdrew it, so that go asks nobody else', async () => {
    const go = goGate({ upstream, ask });
    const name = `corp.example/${newName()}`;
    const repository = await remote(go, { minimumAgeHours: 0 }, { metadataCacheTimeTillRevalidation: 60_000 });
    upstream.answer = go.answer(name, { '1.0.0': 100, '1.1.0': 90 });
    await go.listed(repository, name);
    for (const { status } of await download(go, repository, name, '1.1.0')) expect(status).toBe(200);
    upstream.answer = go.answer(name, { '1.0.0': 100 });
    await passTime(go, repository, name, '1.1.0');
    for (const { status } of await download(go, repository, name, '1.1.0')) expect(status).toBe(403);
  });

  it('counts from when it was first seen, whatever time its author wrote', async () => {
    const go = goGate({ upstream, ask });
    const name = `corp.example/${newName()}`;
    const repository = await remote(go, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    upstream.answer = go.answer(name, { '1.0.0': 9_000 });
    expect(await go.listed(repository, name)).toEqual([['1.0.0']]);
    upstream.answer = go.answer(name, { '1.0.0': 9_000, '1.1.0': 8_000 });
    await passTime(go, repository, name);
    expect(await go.listed(repository, name)).toEqual([['1.0.0']]);
    for (const { status } of await download(go, repository, name, '1.1.0')) expect(status).toBe(403);
    const branch = { Version: 'v0.0.0-20200101000000-abcdefabcdef', Time: timeAgo(1) };
    upstream.answer = sent({ [`/${name}/@v/main.info`]: JSON.stringify(branch) });
    expect((await ask(getGoFile, 'go', repository, `${name}/@v/main.info`)).status).toBe(403);
  });

  it('counts from when it was first seen, also if its files are asked for before the list that has it is', async () => {
    const go = goGate({ upstream, ask });
    const name = `corp.example/${newName()}`;
    const repository = await remote(go, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 3_600_000 });
    upstream.answer = go.answer(name, { '1.0.0': 9_000 });
    expect(await go.listed(repository, name)).toEqual([['1.0.0']]);
    upstream.answer = go.answer(name, { '1.0.0': 9_000, '0.9.9': 8_000 });
    for (const { status } of await download(go, repository, name, '0.9.9')) expect(status).toBe(403);
    await passTime(go, repository, name);
    for (const { status } of await download(go, repository, name, '0.9.9')) expect(status).toBe(403);
    for (const { status } of await download(go, repository, name, '1.0.0')) expect(status).toBe(200);
    // The list was asked for again, a long time before it had to be.
    await patch(repository, { minimumAgeHours: 0 });
    expect((await go.listed(repository, name)).map(sorted)).toEqual([['0.9.9', '1.0.0']]);
    const other = await remote(go, { minimumAgeHours: 72 });
    for (const { status } of await download(go, other, name, '0.9.9')) expect(status).toBe(200);
  });

  it('is new where its upstream has no list', async () => {
    const go = goGate({ upstream, ask });
    const name = `corp.example/${newName()}`;
    const repository = await remote(go, { minimumAgeHours: 72 });
    const answer = go.answer(name, { '1.0.0': 9_000 });
    upstream.answer = (request, response) =>
      request.url?.endsWith('/list') ? response.writeHead(404).end() : answer(request, response);
    for (const { status } of await download(go, repository, name, '1.0.0')) expect(status).toBe(403);
  });

  it('has pseudo-versions that no list has', async () => {
    const go = goGate({ upstream, ask });
    const name = `corp.example/${newName()}`;
    const [version, time] = ['v0.0.0-20200101000000-abcdefabcdef', timeAgo(9_000)];
    const repository = await remote(go, { minimumAgeHours: 72 });
    upstream.answer = sent({
      [`/${name}/@v/list`]: 'v1.0.0\n',
      [`/${name}/@v/${version}.info`]: JSON.stringify({ Version: version, Time: time }),
      [`/${name}/@v/v3.0.0+incompatible.info`]: JSON.stringify({ Version: 'v3.0.0+incompatible', Time: time }),
    });
    for (const each of [version, 'v3.0.0+incompatible'])
      expect([each, (await ask(getGoFile, 'go', repository, `${name}/@v/${each}.info`)).status]).toEqual([each, 200]);
  });

  it('that no list has counts from the time that it had, also by the name of its branch', async () => {
    const go = goGate({ upstream, ask });
    const name = `corp.example/${newName()}`;
    const version = 'v0.0.0-20200101000000-abcdefabcdef';
    const repository = await remote(go, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    for (const time of [timeAgo(2), undefined, undefined]) {
      const info = JSON.stringify({ Version: version, Time: time });
      upstream.answer = sent({ [`/${name}/@v/${version}.info`]: info, [`/${name}/@v/main.info`]: info });
      for (const query of [version, 'main']) {
        const path = `${name}/@v/${query}.info`;
        expect([query, time, (await ask(getGoFile, 'go', repository, path)).status]).toEqual([query, time, 403]);
      }
      for (const document of [`info ${version}`, 'query main'])
        await age(cachedDocumentKey({ contentId: repository.id, name }, document), 60_000);
    }
  });
});

const withoutPoms =
  (listener: RequestListener): RequestListener =>
  (request, response) =>
    (request.url?.endsWith('.pom') ? refusing(404) : listener)(request, response);

describe('An artifact of Maven behind a release gate', () => {
  it('is new when its metadata first list it, whenever these say that they changed', async () => {
    const maven = mavenGate({ upstream, ask });
    const name = `corp:${newName()}`;
    const repository = await remote(maven, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    const path = `/${name.replace(':', '/')}/maven-metadata.xml`;
    const send = (versions: readonly string[]) => {
      const answer = maven.answer(name, Object.fromEntries(versions.map((version) => [version, undefined])));
      upstream.answer = rewritten(answer, path, (text) =>
        text.replace(/<lastUpdated>\d+/, '<lastUpdated>20200101000000'),
      );
    };
    send(['1.0']);
    expect(await maven.listed(repository, name)).toEqual([['1.0']]);
    send(['1.0', '1.1']);
    await passTime(maven, repository, name);
    expect(await maven.listed(repository, name)).toEqual([['1.0']]);
  });

  it('counts from the date of its POM also after that is gone', async () => {
    const maven = mavenGate({ upstream, ask });
    const name = `corp:${newName()}`;
    const repository = await remote(maven, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    const complete = maven.answer(name, { '1.0.0': 100, '1.1.0': 2 });
    for (const answer of [complete, withoutPoms(complete), complete]) {
      upstream.answer = answer;
      for (const version of ['1.0.0', '1.1.0']) await passTime(maven, repository, name, version).catch(() => undefined);
      expect(await maven.listed(repository, name)).toEqual([['1.0.0']]);
      for (const { status } of await download(maven, repository, name, '1.1.0')) expect(status).toBe(403);
    }
  });
});

describe('A chart behind a release gate', () => {
  it('may have keys that other objects do not, and others pass beside it', async () => {
    const helm = helmGate({ upstream, ask });
    const name = newName();
    const repository = await remote(helm, { minimumAgeHours: 72 });
    const answer = helm.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const odd = `{"name":"odd","version":"1.0.0","apiVersion":"v2","annotations":{"__proto__":"1"},"urls":["o.tgz"]}`;
    upstream.answer = rewritten(answer, '/index.yaml', (text) =>
      text.replace('"entries":{', `"entries":{"odd":[${odd}],`),
    );
    const [answered] = await helm.documents(repository, name);
    expect([answered?.status, answered?.text.includes('"odd"')]).toEqual([200, true]);
    for (const { status } of await download(helm, repository, name, '1.0.0')) expect(status).toBe(200);
    for (const { status } of await download(helm, repository, name, '1.1.0')) expect(status).toBe(403);
  });
});

describe('A package of Composer behind a release gate', () => {
  it('counts from when it was first seen, whatever time its author wrote', async () => {
    const composer = composerGate({ upstream, ask });
    const name = `acme/${newName()}`;
    const repository = await remote(composer, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    upstream.answer = composer.answer(name, { '1.0.0': 9_000 });
    expect(await composer.listed(repository, name)).toEqual([['1.0.0']]);
    upstream.answer = composer.answer(name, { '1.0.0': 9_000, '1.1.0': 8_000 });
    await passTime(composer, repository, name);
    expect(await composer.listed(repository, name)).toEqual([['1.0.0']]);
    for (const { status } of await download(composer, repository, name, '1.1.0')) expect(status).toBe(403);
    for (const { status } of await download(composer, repository, name, '1.0.0')) expect(status).toBe(200);
    const other = await remote(composer, { minimumAgeHours: 72 });
    expect((await composer.listed(other, name)).map(sorted)).toEqual([['1.0.0', '1.1.0']]);
  });

  it('is new when it is tagged again', async () => {
    const composer = composerGate({ upstream, ask });
    const name = `acme/${newName()}`;
    const repository = await remote(composer, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    const answer = composer.answer(name, { '1.0.0': 9_000, '1.1.0': 9_000 });
    upstream.answer = answer;
    expect((await composer.listed(repository, name)).map(sorted)).toEqual([['1.0.0', '1.1.0']]);
    upstream.answer = rewritten(answer, `/p2/${name}.json`, (text) => text.replaceAll('ref1.1.0', 'moved'));
    await passTime(composer, repository, name);
    expect(await composer.listed(repository, name)).toEqual([['1.0.0']]);
    const moved = await ask(getComposerDocument, 'composer', repository, `dist/${name}/1.1.0/moved.zip`);
    expect(moved.status).toBe(403);
  });
});

describe('The lists over all gems behind a release gate', () => {
  it('lack what was not in them before, until it is old enough', async () => {
    const name = newName();
    const gems = gemsGate({ upstream, ask });
    const repository = await remote(gems, { minimumAgeHours: 72 }, { metadataCacheTimeTillRevalidation: 60_000 });
    const listed = async () => {
      const { text } = await ask(getGemsDocument, 'gems', repository, 'versions');
      return text.split('\n').slice(2, -1);
    };
    const specs = async () => (await ask(getGemsDocument, 'gems', repository, 'specs.4.8.gz')).headers.etag;
    upstream.answer = gems.answer(name, { '1.0.0': undefined });
    const md5 = '0'.repeat(32);
    expect(await listed()).toEqual([`${name} 1.0.0 ${md5}`]);
    const before = await specs();
    upstream.answer = gems.answer(name, { '1.0.0': undefined, '1.1.0': undefined });
    const key = cachedDocumentKey({ contentId: repository.id, name: '*' }, 'versions');
    await age(key, 60_000);
    expect([await listed(), await specs()]).toEqual([[`${name} 1.0.0 ${md5}`], before]);
    await patch(repository, { minimumAgeHours: 0 });
    expect(await listed()).toEqual([`${name} 1.0.0 ${md5}`, `${name} 1.1.0 ${md5}`]);
    expect(await specs()).not.toBe(before);
    await patch(repository, { minimumAgeHours: 72 });
    expect((await listed()).at(-1)).toBe(`${name} -1.1.0 ${md5}`);
    // The next copy still knows when it was first seen.
    upstream.answer = gems.answer(name, { '1.0.0': undefined, '1.1.0': undefined, '1.2.0': undefined });
    await age(key, 60_000);
    expect((await listed()).at(-1)).toBe(`${name} -1.1.0 ${md5}`);
    await patch(repository, { exempt: [`${name}@1.2.0`] });
    expect((await listed()).at(-1)).toBe(`${name} 1.2.0 ${md5}`);
  });
});

describe('The pages of NuGet and Chocolatey behind a release gate', () => {
  const fields = { metadataCacheTimeTillRevalidation: 60_000 };
  const unlisted = '1900-01-01T00:00:00Z';

  it('count a version that is not listed from when the list of all versions was first seen with it', async () => {
    const name = newName();
    const nuget = nugetGate({ upstream, ask });
    const repository = await remote(nuget, { minimumAgeHours: 72 }, fields);
    const serve = (versions: readonly string[]): void => {
      const page = `${upstream.url}/reg/${name}/${versions.length}`;
      const items = versions.map((version) => ({
        catalogEntry: { id: name, version, listed: false, published: unlisted },
      }));
      const index = { items: [{ '@id': page, lower: '1.0.0', upper: versions.at(-1) }] };
      const routes = {
        [`/reg/${name}/index.json`]: JSON.stringify(index),
        [new URL(page).pathname]: JSON.stringify({ items }),
      };
      const plain = nuget.answer(name, Object.fromEntries(versions.map((version) => [version, undefined])));
      upstream.answer = (request, response) =>
        (request.url?.startsWith('/reg/') ? sent(routes) : plain)(request, response);
    };
    serve(['1.0.0']);
    for (const listed of (await nuget.listed(repository, name)).slice(0, 2)) expect(listed).toEqual(['1.0.0']);
    serve(['1.0.0', '1.1.0']);
    for (const document of ['registration index', 'versions', 'registration 1.0.0/1.0.0'])
      await age(cachedDocumentKey({ contentId: repository.id, name }, document), 60_000);
    for (const listed of (await nuget.listed(repository, name)).slice(0, 2)) expect(listed).toEqual(['1.0.0']);
    expect((await download(nuget, repository, name, '1.1.0')).map(({ status }) => status)).toEqual([
      403, 403, 403, 403,
    ]);
  });

  it('take the time when the upstream got a version that is not listed, and drop it from what a search finds', async () => {
    const name = newName();
    const chocolatey = chocolateyGate({ upstream, ask });
    upstream.answer = chocolatey.answer(name, { '1.0.0': 100, '1.1.0': 1 });
    const repository = await remote(chocolatey, { minimumAgeHours: 72 });
    const search = `Search()?$filter=IsLatestVersion&searchTerm='${name}'&targetFramework=''&includePrerelease=false`;
    const found = async () => versionsIn((await ask(getChocolateyDocument, 'chocolatey', repository, search)).text);
    expect(await found()).toEqual([`${name} 1.0.0`]);
    await patch(repository, { mode: 'observe' });
    expect(await found()).toEqual([`${name} 1.1.0`]);
    const young = newName();
    const entry = (version: string, created: string) =>
      `<d:Published>${unlisted}</d:Published><d:Created>${created}</d:Created>`.replace(
        /^/,
        `<d:Version>${version}</d:Version>`,
      );
    const properties = [entry('1.0.0', timeAgo(100)), entry('1.1.0', timeAgo(1))];
    const entries = properties.map(
      (each) =>
        `<entry><title>${young}</title><content src="${upstream.url}/p"/><m:properties>${each}</m:properties></entry>`,
    );
    upstream.answer = sent({
      '/api/v2/FindPackagesById()': `<feed xmlns:d="urn:d" xmlns:m="urn:m">${entries.join('')}</feed>`,
    });
    await patch(repository, { mode: 'enforce' });
    for (const listed of (await chocolatey.listed(repository, young)).slice(0, 2)) expect(listed).toEqual(['1.0.0']);
  });
});
