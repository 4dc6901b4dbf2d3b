import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DoorProcess } from '../door/door-process.ts';
import { sha256 } from '../harness/bytes.ts';
import { chartOf } from '../harness/helm.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { sha256OfFile, writeLargeFile } from '../large-files/large-file.ts';
import { useSandboxes } from './client-world.ts';
import { cargo } from './drivers/cargo.ts';
import type { Driver, Registry } from './drivers/driver.ts';
import { mavenDrivers } from './drivers/maven.ts';
import { npm } from './drivers/npm.ts';
import { pip } from './drivers/pip.ts';

/**
 * Unchanged clients publish large files through a door in a process of its own, and its memory stays what it is. `DOOR_FILE_BYTES` sets
 * the size of the largest file. It needs npm, cargo, Java with Maven, Python with venv, curl and 8 GB of disk.
 */
jest.setTimeout(1_800_000);

const fileBytes = Number(process.env.DOOR_FILE_BYTES ?? 2_000_000_000);

/** What the process may have at most: Node itself has 70 MiB, and an upload two parts of 8 MiB. */
const memoryMaxMebibytes = 300;

const service = useService({ hasDoor: true });
const newSandbox = useSandboxes();
let door: DoorProcess;
let workspace: Named;
let deployer: Actor;

beforeAll(async () => {
  door = await DoorProcess.start(service.runner);
  workspace = await service.world.workspace();
  deployer = await service.world.member(workspace);
});

afterEach(() => {
  process.stdout.write(`The door has had ${door.memoryMax.toFixed(0)} MiB.\n`);
  expect(door.memoryMax).toBeLessThan(memoryMaxMebibytes);
});

afterAll(async () => {
  await door.end('SIGTERM');
});

/** A repository that the deployer may deploy to. */
const registryOf = async (packageType: Driver['packageType'], base = door.url): Promise<Registry> => {
  const repository = await service.world.repository(workspace, undefined, packageType);
  await service.world.grant(workspace, repository, deployer, 'canDeploy');
  return { url: `${base}/${packageType}/${workspace.name}/${repository.name}`, token: deployer.token };
};

/** Text that takes nearly its length in every archive. */
const textOf = (bytes: number): string => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64');

const [maven] = mavenDrivers;

const curl = async (...parameters: readonly string[]): Promise<string> => {
  const credential = ['-u', `token:${deployer.token}`];
  try {
    return (await promisify(execFile)('curl', ['-sS', '--fail-with-body', ...credential, ...parameters])).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`curl failed: ${stderr}${stdout}`, { cause: error });
  }
};

describe('Through the door', () => {
  it.each([
    { driver: npm, bytes: 66_000_000, published: 50_000_000 },
    { driver: pip, bytes: 100_000_000, published: 100_000_000 },
    { driver: maven as Driver, bytes: 200_000_000, published: 200_000_000 },
    { driver: cargo, bytes: 12_000_000, published: 9_000_000 },
  ])('$driver.name publishes $published bytes and installs them again', async ({ driver, bytes, published }) => {
    await driver.prepare();
    const registry = await registryOf(driver.packageType);
    const each = { name: driver.nameOf(uniqueName('large')), version: '1.0.0', content: textOf(bytes) };
    const before = door.lines.length;
    const publication = await driver.publish(newSandbox(), registry, each);
    expect(publication).toMatchObject({ isFailed: false });
    const staged = door.lines.slice(before).filter(({ way }) => way === 'staged');
    expect(Math.max(...staged.map((line) => line.bytes ?? 0))).toBeGreaterThanOrEqual(published);
    const sandbox = newSandbox();
    const installation = await driver.install(sandbox, registry, { name: each.name, version: each.version });
    expect(installation).toMatchObject({ isFailed: false });
    const found = driver.contentOf(sandbox, each.name);
    expect(sha256(found)).toBe(sha256(each.content));
  });

  it(`curl publishes a file of ${fileBytes} bytes, and gets it again`, async () => {
    const sandbox = newSandbox();
    const [sent, received] = [join(sandbox.project, 'sent'), join(sandbox.project, 'received')];
    await writeLargeFile(sent, fileBytes);
    const { url } = await registryOf('universal');
    const address = `${url}/large/1.0.0/file.bin`;
    const answer = JSON.parse(await curl('-T', sent, address)) as { sha256: string; sizeInBytes: number };
    const expected = await sha256OfFile(sent);
    expect(answer).toMatchObject({ sha256: expected, sizeInBytes: fileBytes });
    await curl('-L', '-o', received, address);
    expect(await sha256OfFile(received)).toBe(expected);
  });

  it('a chart of 20 MB is published as the whole body of a POST, as gem publishes', async () => {
    const sandbox = newSandbox();
    const { url } = await registryOf('helm');
    const chart = await chartOf({ name: 'large', version: '1.0.0', content: textOf(20_000_000) });
    sandbox.writeBytes('project/large-1.0.0.tgz', chart);
    const file = join(sandbox.project, 'large-1.0.0.tgz');
    await curl('--data-binary', `@${file}`, '-H', 'Content-Type: application/octet-stream', `${url}/api/charts`);
    const received = join(sandbox.project, 'received');
    await curl('-L', '-o', received, `${url}/charts/large-1.0.0.tgz`);
    expect(await sha256OfFile(received)).toBe(await sha256OfFile(file));
  });

  it('nothing is broken afterwards', async () => {
    expect(await brokenContent(service)).toEqual([]);
  });
});

describe('Without the door', () => {
  /** More than API Gateway lets a function have, in every form, and less than what it refuses in words of its own. */
  const content = textOf(6_500_000);
  const sentence = /at most 4\.5 MB/;

  it.each([
    { driver: npm, printed: sentence },
    { driver: pip, printed: sentence },
    // It prints the status of a refusal, and not its body.
    { driver: maven as Driver, printed: /413/ },
    { driver: cargo, printed: sentence },
  ])('$driver.name prints that the body is too large', async ({ driver, printed }) => {
    await driver.prepare();
    const registry = await registryOf(driver.packageType, service.runner.apiUrl);
    const each = { name: driver.nameOf(uniqueName('large')), version: '1.0.0', content };
    expect(await driver.publish(newSandbox(), registry, each)).toEqual({
      isFailed: true,
      output: expect.stringMatching(printed) as string,
    });
  });

  it.each([
    { packageType: 'universal', path: 'large/1.0.0/file.bin', how: ['-T', 'file'] },
    { packageType: 'helm', path: 'api/charts', how: ['--data-binary', '@file'] },
  ] as const)('curl prints that the body is too large for $packageType', async ({ packageType, path, how }) => {
    const { url } = await registryOf(packageType, service.runner.apiUrl);
    const sandbox = newSandbox();
    sandbox.write({ 'project/file': content });
    const credential = ['-u', `token:${deployer.token}`, '-H', 'Content-Type: application/octet-stream'];
    const ran = await sandbox.run('curl', ['-sS', '--fail-with-body', ...credential, ...how, `${url}/${path}`]);
    expect(ran).toEqual({ isFailed: true, output: expect.stringMatching(sentence) as string });
  });
});
