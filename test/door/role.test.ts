import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { readAssembly } from '../../infra/local/assembly.ts';
import { type Right, RolePolicy } from '../../infra/local/role-policy.ts';
import { assemblyWithDoor } from '../harness/assembly.ts';
import { useImages } from '../harness/images.ts';
import { useService } from '../harness/service.ts';

jest.setTimeout(120_000);

const service = useService({ hasDoor: true, isOwn: true });
const images = useImages(service);

const nameOf = ({ action, resource }: Right): string => `${action} on ${resource}`;

/** The rights that the door asked for, of which each was needed at least once. */
const used = (): Set<string> =>
  new Set(
    service.accesses.filter(({ functionId }) => functionId === 'door').flatMap(({ rights }) => rights.map(nameOf)),
  );

/** Sends the begin of a large body, and goes away when the door has put a part of it into the store. */
const cut = async (path: string): Promise<void> => {
  const before = service.store.calls.length;
  const headers = { authorization: images.setting.admin.bearer, 'content-length': 30_000_000 };
  const sent = request(new URL(path, service.runner.url), { method: 'PATCH', headers }).on('error', () => {});
  sent.write(randomBytes(20_000_000));
  while (!service.store.calls.slice(before).some(({ method }) => method === 'PUT')) await pause(20);
  sent.destroy();
};

describe('The role of the door', () => {
  it('allows all that the door does, and nothing that it does not', async () => {
    // To its place; into the staging area until it is published; and until its client goes away.
    expect((await images.pushBlob('large', randomBytes(6_000_000))).status).toBe(201);
    const { workspace, admin } = images.setting;
    const files = await service.world.repository(workspace, undefined, 'universal');
    const url = `${service.runner.url}/universal/${workspace.name}/${files.name}/tool/1.0.0/file.bin`;
    const body = randomBytes(9_000_000);
    expect((await fetch(url, { method: 'PUT', headers: { authorization: admin.bearer }, body })).status).toBe(201);
    await cut(await images.begin('cut'));
    const { door } = readAssembly(assemblyWithDoor());
    const granted = new RolePolicy(door?.statements ?? []).rights.map(nameOf);
    expect(granted.length).toBe(5);
    const unused = () => granted.filter((right) => !used().has(right));
    for (let tries = 0; unused().length > 0 && tries < 500; tries += 1) await pause(20);
    expect(unused()).toEqual([]);
    expect(service.accesses.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
  });
});
