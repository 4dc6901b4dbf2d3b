import { sampledGates } from '../gates/all.ts';
import { askIn, newName, timeAgo } from '../gates/gated-type.ts';
import { nameIn, packageFormats } from '../harness/package-formats.ts';
import { useRemotes } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';

const { service, upstream, setting } = useRemotes();

const ask = askIn(service, setting);

const hour = 3_600_000;

/** Documents about one version, which are no files of it. */
const documents: Readonly<Record<string, RegExp>> = { npm: /\/1\.0\.0$/, go: /\.info$/ };

/** When test/gates/conan.ts has a binary built. */
const builtAt = Date.parse('2026-01-02T03:04:05Z');

describe.each(sampledGates({ upstream, ask }))('Each file of a version of $type', (each) => {
  it.each(['enforce', 'observe'] as const)(
    'of a repository whose gate is set to %s says when the upstream published it, also once it is kept',
    async (mode) => {
      const name = (each.newName ?? newName)();
      upstream.answer = each.answer(name, { '1.0.0': 100 });
      const remote = await createRemote(service, setting.workspace, {
        packageType: each.type,
        remoteRepositoryUrl: upstream.url + (each.urlPath ?? ''),
        releaseGate: { mode, minimumAgeHours: 72 },
      });
      const virtual = await createVirtual(service, setting.workspace, [remote], { packageType: each.type });
      const files = each.files(name, '1.0.0').filter((path) => !documents[each.type]?.test(path));
      expect(files).not.toEqual([]);
      for (const path of files) {
        const expected = path.includes('/packages/') ? builtAt : Date.parse(timeAgo(100));
        for (const [repository, method] of [
          [remote, 'GET'],
          [remote, 'GET'],
          [virtual, 'HEAD'],
        ] as const) {
          const { status, headers } = await ask(each.file, each.type, repository, path, {}, method);
          const published = Date.parse(String(headers['x-stockroom-published']));
          expect([path, status, Math.abs(published - expected) < hour / 10]).toEqual([path, 200, true]);
        }
      }
    },
  );

  it('of a repository without a gate says nothing that nobody has looked up', async () => {
    const name = (each.newName ?? newName)();
    upstream.answer = each.answer(name, { '1.0.0': 100 });
    const remote = await createRemote(service, setting.workspace, {
      packageType: each.type,
      remoteRepositoryUrl: upstream.url + (each.urlPath ?? ''),
    });
    const [path = ''] = each.files(name, '1.0.0');
    const { status, headers } = await ask(each.file, each.type, remote, path);
    expect([status, headers['x-stockroom-published']]).toEqual([200, undefined]);
  });
});

describe.each(packageFormats)('A file of a local repository of $packageType', (format) => {
  it('says when it was published', async () => {
    const { packageType } = format;
    const repository = await service.world.repository(setting.workspace, undefined, packageType);
    const name = nameIn(format, uniqueName('published'));
    const place = { workspace: setting.workspace, repository, name, version: '1.0.0', as: setting.admin.bearer };
    const before = Date.now();
    expect((await format.publish(service, place, 'content')).status).toBe(201);
    const after = Date.now();
    const { headers } = await format.download(service, place);
    const published = Date.parse(String(headers['x-stockroom-published']));
    // To the second.
    expect(published).toBeGreaterThan(before - 1_000);
    expect(published).toBeLessThanOrEqual(after);
  });
});
