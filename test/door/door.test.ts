import { execFile } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publishPackage } from '../../functions/packages/contracts.ts';
import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { updateWorkspace } from '../../functions/workspaces/contracts.ts';
import { sha256 } from '../harness/bytes.ts';
import { NpmClient } from '../harness/npm-client.ts';
import { storedObjects } from '../harness/object-store.ts';
import { useService } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';

jest.setTimeout(60_000);

/** Real clients, a door in front of the API as `npm start` has it, and bodies that are too large for a request there. */
const service = useService({ hasDoor: true });
const npm = new NpmClient();
const folder = mkdtempSync(join(tmpdir(), 'stockroom-door-'));
const content = randomBytes(12_000_000);
const file = join(folder, 'file.bin');
let workspace: Named;
let files: Named;
let deployer: Actor;
let viewer: Actor;

beforeAll(async () => {
  writeFileSync(file, content);
  workspace = await service.world.workspace();
  files = await service.world.repository(workspace, undefined, 'universal');
  [deployer, viewer] = [await service.world.member(workspace), await service.world.member(workspace)];
  await service.world.grant(workspace, files, deployer, 'canDeploy');
  await service.world.grant(workspace, files, viewer, 'canView');
});

afterAll(() => {
  npm.close();
  rmSync(folder, { recursive: true });
});

interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  readonly text: string;
}

const curl = async (url: string, ...parameters: readonly string[]): Promise<Answered> => {
  const { stdout } = await promisify(execFile)('curl', ['-sS', '-w', '\n%{http_code}', ...parameters, url], {
    maxBuffer: 100_000_000,
  });
  const end = stdout.lastIndexOf('\n');
  const text = stdout.slice(0, end);
  const { code } = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {};
  return { status: Number(stdout.slice(end + 1)), code, text };
};

const addressOf = (name: string, repository = files.name): string =>
  `${service.runner.url}/universal/${workspace.name}/${repository}/${name}/1.0.0/file.bin`;

const send = async (url: string, { as = deployer.token, parameters = ['-T', file] } = {}): Promise<Answered> =>
  curl(url, ...parameters, '-u', `token:${as}`);

const sha256At = async (url: string): Promise<string> => {
  const { stdout } = await promisify(execFile)('curl', ['-sSL', '-u', `token:${deployer.token}`, url], {
    encoding: 'buffer',
    maxBuffer: 100_000_000,
  });
  return sha256(stdout);
};

describe('A body that is too large for a request', () => {
  it('is published with curl, of a known and of an unknown length', async () => {
    const before = await storedObjects(service, 'staging/');
    const [known, unknown] = [addressOf(uniqueName()), addressOf(uniqueName())];
    const answers = [
      await send(known),
      await send(unknown, { parameters: ['-T', file, '-H', 'Transfer-Encoding: chunked'] }),
    ];
    for (const { status, text } of answers)
      expect({ status, ...(JSON.parse(text) as object) }).toMatchObject({ status: 201, sha256: sha256(content) });
    expect([await sha256At(known), await sha256At(unknown)]).toEqual([sha256(content), sha256(content)]);
    expect(await storedObjects(service, 'staging/')).toEqual(before);
  });

  it('is published with npm', async () => {
    const repository = await service.world.repository(workspace, undefined, 'npm');
    await service.world.grant(workspace, repository, deployer, 'canDeploy');
    const registry = { url: `${service.runner.url}/npm/${workspace.name}/${repository.name}/`, token: deployer.token };
    const name = uniqueName('package');
    const project = npm.project({ name, version: '1.0.0' }, { 'data.bin': content.subarray(0, 10_000_000) });
    const published = await npm.run(project, registry, ['publish']);
    expect({ failed: published.isFailed, stderr: published.stderr }).toMatchObject({ failed: false });
    const again = await npm.run(project, registry, ['publish']);
    expect(again.stderr).toMatch(/1\.0\.0|already exists|previously published/);
    const installing = npm.project({ name: 'installing', version: '1.0.0', dependencies: { [name]: '1.0.0' } });
    const installed = await npm.run(installing, registry, ['install']);
    expect({ failed: installed.isFailed, stderr: installed.stderr }).toMatchObject({ failed: false });
  });

  it('is published as a form', async () => {
    const url = `${service.runner.url}${publishPackage.path
      .replace('{workspace}', workspace.name)
      .replace('{repository}', files.name)}`;
    const fields = ['-F', `packageFiles=@${file}`, '-F', `packageName=${uniqueName()}`, '-F', 'packageVersion=1.0.0'];
    const { status, text } = await send(url, { parameters: fields });
    expect({ status, text }).toMatchObject({ status: 201, text: expect.stringContaining('"isSucceeded":true') });
  });

  it('is sent again with the same Idempotency-Key and another boundary', async () => {
    const url = `${service.runner.url}${publishPackage.path
      .replace('{workspace}', workspace.name)
      .replace('{repository}', files.name)}`;
    const name = uniqueName();
    const form = (path: string) => [
      '-H',
      'Idempotency-Key: once',
      '-F',
      `packageFiles=@${path}`,
      '-F',
      `packageName=${name}`,
      '-F',
      'packageVersion=1.0.0',
    ];
    const [first, second] = [await send(url, { parameters: form(file) }), await send(url, { parameters: form(file) })];
    expect([first.status, second.status]).toEqual([201, 201]);
    const other = join(folder, 'other.bin');
    writeFileSync(other, randomBytes(6_000_000));
    expect(await send(url, { parameters: form(other) })).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('is refused as a small one is, when it was read to its end', async () => {
    const address = addressOf(uniqueName());
    const before = await storedObjects(service, 'staging/');
    expect((await send(address)).status).toBe(201);
    expect(await send(address)).toMatchObject({ status: 409, code: 'VERSION_EXISTS' });
    const url = addressOf(uniqueName());
    expect(await send(url, { as: viewer.token })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await send(url, { as: 'nobody' })).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await send(addressOf('a', 'nowhere'))).toMatchObject({ status: 404, code: 'REPOSITORY_NOT_FOUND' });
    expect(await storedObjects(service, 'staging/')).toEqual(before);
  });

  it('is refused with another checksum than came with it, and stored nowhere', async () => {
    const before = await storedObjects(service, 'staging/');
    const url = addressOf(uniqueName());
    const withChecksum = (hex: string) => ['-T', file, '-H', `X-Checksum-Sha1: ${hex}`];
    const answer = await send(url, { parameters: withChecksum(hash('sha1', 'another file', 'hex')) });
    expect(answer).toMatchObject({ status: 400, code: 'PACKAGE_INVALID' });
    expect(answer.text).toContain(`arrived with the sha1 ${hash('sha1', content, 'hex')}, and X-Checksum-Sha1 says`);
    expect(await storedObjects(service, 'staging/')).toEqual(before);
    const right = withChecksum(hash('sha1', content, 'hex'));
    expect((await send(url, { parameters: right })).status).toBe(201);
  });

  it.each([['Origin: https://evil.example'], ['Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: same-site']])(
    'is refused with %s before anybody is asked, and stored nowhere',
    async (line) => {
      const stored = async () => [await storedObjects(service), await storedObjects(service, 'staging/')];
      const before = await stored();
      service.runner.clearAuthorizerCache();
      service.proxy.forget();
      const url = addressOf(uniqueName());
      for (const parameters of [
        ['-T', file],
        ['-X', 'PUT', '-d', 'small'],
      ])
        expect(await send(url, { parameters: [...parameters, '-H', line] })).toMatchObject({
          status: 403,
          code: 'CROSS_SITE_REQUEST',
        });
      const callers = service.proxy.calls.map(({ functionId }) => functionId);
      expect(callers.filter((id) => id === 'authorizer' || id === publishUniversalFile.id)).toEqual([]);
      expect(await stored()).toEqual(before);
    },
  );

  it('is taken from a page of the service itself', async () => {
    const own = ['-H', `Origin: ${new URL(service.runner.url).origin}`, '-H', 'Sec-Fetch-Site: same-origin'];
    expect((await send(addressOf(uniqueName()), { parameters: ['-T', file, ...own] })).status).toBe(201);
  });

  it('is counted for the address of its client when the password is wrong', async () => {
    const parameters = ['-T', file, '--interface', '127.0.0.2'];
    await curl(
      addressOf('a'),
      ...parameters,
      '-u',
      `${deployer.username}:wrong`,
      '-H',
      'X-Stockroom-Viewer: 127.0.0.3',
    );
    const line = service.logs.findLast((each) => each.includes('credential refused'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ username: deployer.username, sourceAddress: '127.0.0.2' });
  });

  it.each([
    ['of a known length', []],
    ['of an unknown length', ['-H', 'Transfer-Encoding: chunked']],
  ])('is refused where it is too large even so, %s', async (_, headers) => {
    const before = await storedObjects(service, 'staging/');
    const json = ['-X', 'PUT', '-H', 'Content-Type: application/json', '--data-binary', `@${file}`, ...headers];
    const tag = `${service.runner.url}/npm/${workspace.name}/${files.name}/-/package/a/dist-tags/latest`;
    const answer = await send(tag, { parameters: json });
    expect(answer).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    expect(answer.text).toContain('The request body must be at most 1000 bytes here.');
    const tokens = `${service.runner.url}/1/users/personal-access-tokens`;
    const parameters = [...json.slice(2), '-X', 'POST'];
    expect(await send(tokens, { parameters })).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    expect(await storedObjects(service, 'staging/')).toEqual(before);
  });

  it.each([
    ['of a known length', [], String(content.length)],
    ['of an unknown length', ['-H', 'Transfer-Encoding: chunked'], String.raw`[67]\d{6}`],
  ])('is refused where the workspace has no room for it, %s', async (_, headers, length) => {
    const [before, limited] = [await storedObjects(service, 'staging/'), await service.world.workspace()];
    const repository = await service.world.repository(limited, undefined, 'universal');
    const admin = await service.world.systemAdmin();
    const params = { workspace: limited.id };
    await service.client.succeed(updateWorkspace, { params, body: { storageLimit: 6_000_000 }, as: admin.bearer });
    const url = `${service.runner.url}/universal/${limited.name}/${repository.name}/tool/1.0.0/file.bin`;
    const answer = await send(url, { as: admin.token, parameters: ['-T', file, ...headers] });
    expect(answer).toMatchObject({ status: 403, code: 'QUOTA_EXCEEDED' });
    expect(answer.text).toMatch(new RegExp(`0 of 6000000 bytes are used, and ${length} more were sent`));
    expect(await storedObjects(service, 'staging/')).toEqual(before);
  });

  it('is refused with the way to publish it where there is no door', async () => {
    const direct = addressOf(uniqueName()).replace(service.runner.url, service.runner.apiUrl);
    const parameters = ['-X', 'PUT', '--data-binary', `@${join(folder, 'middle.bin')}`];
    writeFileSync(join(folder, 'middle.bin'), content.subarray(0, 5_000_000));
    const answer = await send(direct, { parameters });
    expect(answer).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' });
    expect(answer.text).toContain('/packages/uploads');
  });
});
