import { NpmClient, type NpmRun } from '../harness/npm-client.ts';
import { useService } from '../harness/service.ts';
import { type Actor, uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

const service = useService();
const npm = new NpmClient();
let deployer: Actor;
let url: string;
let empty: string;

beforeAll(async () => {
  const { world, runner } = service;
  const workspace = await world.workspace();
  const repository = await world.repository(workspace);
  deployer = await world.member(workspace);
  await world.grant(workspace, repository, deployer, 'canDeploy');
  url = `${runner.url}/npm/${workspace.name}/${repository.name}/`;
  empty = npm.project({ name: 'empty', version: '1.0.0' });
});

afterAll(() => npm.close());

/** Runs npm without a credential, and answers its questions. */
const logIn = (parameters: readonly string[], ...answers: string[]): Promise<NpmRun> =>
  npm.run(empty, { url }, parameters, {}, answers);

/** Runs npm with a token. */
const runAs = (token: string, ...parameters: string[]): Promise<NpmRun> =>
  npm.run(npm.project({ name: uniqueName('package'), version: '1.0.0' }), { url, token }, parameters);

const tokenIn = ({ settings, stderr }: NpmRun): string => {
  const token = /:_authToken=(\S+)/.exec(settings)?.[1];
  if (token === undefined) throw new Error(`npm stored no token:\n${stderr}`);
  return token;
};

describe('npm', () => {
  it('logs in as it does by default, and its token works until it logs out', async () => {
    const token = tokenIn(await logIn(['login'], deployer.username, deployer.password));
    expect((await runAs(token, 'whoami')).stdout.trim()).toBe(deployer.username);
    const out = await runAs(token, 'logout');
    expect({ isFailed: out.isFailed, isKept: out.settings.includes('_authToken') }).toEqual({
      isFailed: false,
      isKept: false,
    });
    expect((await runAs(token, 'whoami')).stderr).toContain('code E401');
  });

  it('logs in by adduser and with the type legacy, and publishes with the token', async () => {
    const answers = [deployer.username, deployer.password, 'somebody@example.com'];
    const token = tokenIn(await logIn(['adduser', '--auth-type=legacy'], ...answers));
    expect(await runAs(token, 'publish')).toMatchObject({ isFailed: false });
  });

  it('keeps the token that it sends as the password of the user token, also one that may only read', async () => {
    const { token } = await service.world.token(deployer, null, { readOnly: true });
    expect(tokenIn(await logIn(['login'], 'token', token))).toBe(token);
    expect((await runAs(token, 'whoami')).stdout.trim()).toBe(deployer.username);
  });

  it('prints that a password is wrong, and stores no token', async () => {
    const { isFailed, stderr, settings } = await logIn(['login'], deployer.username, 'a wrong password');
    expect({ isFailed, isStored: settings.includes('_authToken') }).toEqual({ isFailed: true, isStored: false });
    expect(stderr).toContain('code E401');
  });

  it('replaces a token that has expired', async () => {
    const { token } = await service.world.token(deployer, new Date(Date.now() - 1).toISOString());
    const answers = [deployer.username, deployer.password];
    const ran = await npm.run(empty, { url, token }, ['login', '--auth-type=legacy'], {}, answers);
    expect(tokenIn(ran)).not.toBe(token);
  });
});
