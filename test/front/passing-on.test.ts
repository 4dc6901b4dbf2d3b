import { newToken } from '../../shared/auth/tokens.ts';
import { publishBody } from '../harness/npm.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { askFront, askGateway, frontUrlOf, hostOf, passedOn } from './answers.ts';

describe('What the front passes on', () => {
  const service = useService({ hasFront: true });
  let admin: Actor;
  let workspace: Named;
  let repository: Named;
  let name: string;
  let path: string;

  beforeAll(async () => {
    admin = await service.world.systemAdmin();
    workspace = await service.world.workspace();
    repository = await service.world.repository(workspace);
    name = uniqueName('package');
    path = `/npm/${workspace.id}/${repository.id}/${name}`;
    const body = JSON.stringify(publishBody(name));
    const headers = { authorization: admin.bearer, 'content-type': 'application/json' };
    const published = await askFront(service, { method: 'PUT', path, headers, body });
    expect(published.status).toBe(201);
  });

  it('is a publication, whose package it then answers with its own address', async () => {
    const { status, body } = await askFront(service, { path, headers: { authorization: admin.bearer } });
    expect(status).toBe(200);
    const document = JSON.parse(Buffer.from(body, 'base64').toString()) as {
      readonly versions: Readonly<Record<string, { readonly dist: { readonly tarball: string } }>>;
    };
    expect(document.versions['1.0.0']?.dist.tarball).toBe(`${frontUrlOf(service)}${path}/-/${name}-1.0.0.tgz`);
  });

  it('is management, which answers with the address of the front, too', async () => {
    const params = `/1/workspaces/${workspace.id}/repositories/local`;
    const body = JSON.stringify({ name: uniqueName('local'), packageType: 'npm' });
    const headers = { authorization: admin.account, 'content-type': 'application/json' };
    const { status, headers: told } = await askFront(service, { method: 'POST', path: params, headers, body });
    expect([status, told.location]).toEqual([201, expect.stringMatching(/^\/1\/workspaces\//)]);
  });

  it('is a password, whose wrong ones the API counts, and no table read is spent on it', async () => {
    service.proxy.forget();
    const { status } = await askFront(service, { path, headers: { authorization: admin.account } });
    expect([status, service.proxy.callsOf('package-reads')]).toEqual([200, []]);
    expect(passedOn(service).at(-1)).toBe('npm/get-npm-document');
  });

  it('is the first use of a token in an hour, so that it is noted; the next one stays at the front', async () => {
    const user = await service.world.user();
    await service.world.member(workspace, 'admin', user);
    const ask = async () => askFront(service, { path, headers: { authorization: user.bearer } });
    const before = passedOn(service).length;
    expect((await ask()).status).toBe(200);
    expect(passedOn(service).length).toBe(before + 1);
    expect((await ask()).status).toBe(200);
    expect(passedOn(service).length).toBe(before + 1);
  });

  it('is answered for the host that Lambda knows, whatever host the client names', async () => {
    const headers = { authorization: admin.bearer, host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    const { status, body } = await askFront(service, { path, headers });
    expect([status, Buffer.from(body, 'base64').toString().includes('evil.example')]).toEqual([200, false]);
    expect(Buffer.from(body, 'base64').toString()).toContain(hostOf(service));
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('is answered locally for the name of this machine %s', async (own) => {
    const host = `${own}:${new URL(frontUrlOf(service)).port}`;
    for (const authorization of [admin.bearer, admin.account]) {
      const { body } = await askFront(service, { path, headers: { authorization, host } });
      expect(Buffer.from(body, 'base64').toString()).toContain(`"http://${host}${path}/-/`);
    }
  });

  it('tells the URL of the front to the API, where only the stage says what that is', async () => {
    const asked = {
      path,
      headers: { authorization: admin.bearer, host: 'other.example', 'x-stockroom-front': 'http://evil.example' },
    };
    const { body } = await askGateway(service, asked);
    expect(Buffer.from(body, 'base64').toString()).toContain(`${frontUrlOf(service)}/npm/`);
  });

  it('is at most 6 MB', async () => {
    const headers = { authorization: admin.bearer, 'content-type': 'application/octet-stream' };
    const { status } = await askFront(service, { method: 'PUT', path, headers, body: Buffer.alloc(5_000_000) });
    expect(status).toBe(413);
  });

  it.each([
    ['no credential', undefined],
    ['what is no token', 'Bearer nonsense'],
    ['a token with a wrong checksum', `Bearer ${newToken().slice(0, -1)}!`],
    ['two tokens', `Bearer ${newToken()},Bearer ${newToken()}`],
  ])('is not %s: that costs neither a read nor a call of the API', async (_, authorization) => {
    service.proxy.forget();
    const before = passedOn(service).length;
    for (const asked of [path, `/1/workspaces/${workspace.id}`]) {
      const told = await askFront(service, {
        path: asked,
        headers: authorization === undefined ? {} : { authorization },
      });
      expect([told.status, told.headers['www-authenticate']]).toEqual([401, undefined]);
      expect(told.headers['x-amzn-remapped-www-authenticate']).toContain('Basic realm');
    }
    expect([service.proxy.calls, passedOn(service).length]).toEqual([[], before]);
  });
});
