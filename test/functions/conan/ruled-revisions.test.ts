import { checkVersion } from '../../../functions/packages/contracts.ts';
import { updateVerdict } from '../../../functions/verdicts/contracts.ts';
import { createRemote } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';
import { uniqueName } from '../../harness/world.ts';
import { useConan } from '../../types/conan.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, search } = useConan(service);

const [older, newer] = ['a'.repeat(32), 'b'.repeat(32)];

/** A package whose version 1.0 has two revisions, and 1.1 one. */
const published = (at = '2026-01-02T03:04:05Z'): string => {
  const name = uniqueName('lib');
  const revisions = (...of: string[]) => of.map((revision) => ({ revision, time: at }));
  const contents: Readonly<Record<string, object>> = {
    'search?q=': { results: [`${name}/1.0`, `${name}/1.1`] },
    [`${name}/1.0/_/_/revisions`]: { revisions: revisions(newer, older) },
    [`${name}/1.1/_/_/revisions`]: { revisions: revisions(older) },
  };
  upstream.answer = (request, response) => {
    const found = Object.entries(contents).find(([path]) => request.url?.includes(`/v2/conans/${path}`));
    serving(JSON.stringify(found?.[1] ?? {}))(request, response);
  };
  return name;
};

const rule = async (name: string, verdict: 'allow' | 'block', versions: string[]) =>
  service.client.succeed(updateVerdict, {
    params: { workspace: setting.workspace.id, packageType: 'conan', package: name },
    body: { verdict, versions, reason: 'Tried' },
    as: setting.admin.bearer,
  });

describe.each([
  ['without a gate', null],
  ['with a gate', { minimumAgeHours: 24 }],
  ['with a gate that only observes', { minimumAgeHours: 24, mode: 'observe' as const }],
])('A search in the recipes of a remote repository %s', (_, releaseGate) => {
  const listed = async (name: string): Promise<readonly string[]> => {
    const repository = await createRemote(service, setting.workspace, {
      packageType: 'conan',
      remoteRepositoryUrl: upstream.url,
      releaseGate,
    });
    return (await search(`${name}/*`, { repository })).map((recipe) => recipe.slice(name.length + 1));
  };

  it('lacks a recipe when verdicts block all of its revisions', async () => {
    const name = published();
    await rule(name, 'block', [`1.0#${newer}`, `1.1@_/_#${older}`]);
    expect(await listed(name)).toEqual(['1.0']);
    await rule(name, 'block', [`1.0#${newer}`, `1.0#${older}`]);
    expect(await listed(name)).toEqual(['1.1']);
  });

  it('has a recipe of which a binary is blocked', async () => {
    const name = published();
    await rule(name, 'block', [`1.1#${older}:${newer}`]);
    expect(await listed(name)).toEqual(['1.0', '1.1']);
  });
});

it('A revision that a verdict allows keeps its recipe in lists, whatever its age', async () => {
  const name = published(new Date().toISOString());
  const repository = await createRemote(service, setting.workspace, {
    packageType: 'conan',
    remoteRepositoryUrl: upstream.url,
    releaseGate: { minimumAgeHours: 24 },
  });
  expect(await search(`${name}/*`, { repository })).toEqual([]);
  await rule(name, 'allow', [`1.0#${older}`]);
  expect(await search(`${name}/*`, { repository })).toEqual([`${name}/1.0`]);
});

describe('A verdict on a version', () => {
  /** A package whose version 1.0 is there without a user, and with two. */
  const places = ['_/_', 'acme/stable', 'acme/testing'];
  const placed = (): string => {
    const name = uniqueName('lib');
    upstream.answer = (request, response) => {
      const answer = request.url?.includes('search?q=')
        ? { results: places.map((place) => `${name}/1.0${place === '_/_' ? '' : `@${place}`}`) }
        : { revisions: [{ revision: older, time: '2026-01-02T03:04:05Z' }], files: { 'conanfile.py': {} } };
      serving(JSON.stringify(answer))(request, response);
    };
    return name;
  };
  const shown = async (name: string) => {
    const repository = await createRemote(service, setting.workspace, {
      packageType: 'conan',
      remoteRepositoryUrl: upstream.url,
    });
    const file = async (place: string): Promise<number> =>
      (await get(`${name}/1.0/${place}/revisions/${older}/files/conanfile.py`, { repository })).status;
    const decision = async (place: string) => {
      const params = { workspace: setting.workspace.id, repository: repository.id };
      const body = { packageName: name, version: `1.0@${place}` };
      const answer = await service.client.succeed(checkVersion, { params, body, as: setting.admin.bearer });
      return answer.repositories.map((each) => each.decision);
    };
    return {
      listed: (await search(`${name}/*`, { repository })).map((recipe) => recipe.slice(name.length + 1)),
      files: await Promise.all(places.map(file)),
      decisions: (await Promise.all(places.map(decision))).flat(),
    };
  };

  it('is one on the version with every user and channel', async () => {
    const name = placed();
    await rule(name, 'block', ['1.0']);
    expect(await shown(name)).toEqual({
      listed: [],
      files: [403, 403, 403],
      decisions: ['blocked', 'blocked', 'blocked'],
    });
  });

  it('is one on the version without a user and a channel where it says so', async () => {
    const name = placed();
    await rule(name, 'block', ['1.0@_/_']);
    expect(await shown(name)).toEqual({
      listed: ['1.0@acme/stable', '1.0@acme/testing'],
      files: [403, 200, 200],
      decisions: ['blocked', 'passes', 'passes'],
    });
  });
});
