import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { DoorProcess } from '../harness/door-process.ts';
import { chartOf } from '../harness/helm-charts.ts';
import { useService } from '../harness/service.ts';
import { brokenContent } from '../harness/stored-packages.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
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
const registryOf = async (packageType: Driver['packageType']): Promise<Registry> => {
  const repository = await service.world.repository(workspace, undefined, packageType);
  await service.world.grant(workspace, repository, deployer, 'canDeploy');
  return { url: `${door.url}/${packageType}/${workspace.name}/${repository.name}`, token: deployer.token };
};

/** Text that takes nearly its length in every archive. */
const textOf = (bytes: number): string => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64');

const [maven] = mavenDrivers;

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
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    expect(sha256(found)).toBe(sha256(each.content));
  });

  const curl = async (...parameters: readonly string[]): Promise<string> =>
    (await promisify(execFile)('curl', ['-sS', '--fail-with-body', '-u', `token:${deployer.token}`, ...parameters]))
      .stdout;

  const sha256Of = async (path: string): Promise<string> => {
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  };

  it(`curl publishes a file of ${fileBytes} bytes, and gets it again`, async () => {
    const sandbox = newSandbox();
    const [sent, received] = [join(sandbox.project, 'sent'), join(sandbox.project, 'received')];
    const piece = randomBytes(1_000_000);
    const pieces = function* (): Generator<Buffer> {
      for (let left = fileBytes; left > 0; left -= piece.length) {
        piece.writeDoubleBE(left);
        yield Buffer.from(piece.subarray(0, left));
      }
    };
    await pipeline(Readable.from(pieces()), createWriteStream(sent));
    const { url } = await registryOf('universal');
    const address = `${url}/large/1.0.0/file.bin`;
    const answer = JSON.parse(await curl('-T', sent, address)) as { sha256: string; sizeInBytes: number };
    const expected = await sha256Of(sent);
    expect(answer).toMatchObject({ sha256: expected, sizeInBytes: fileBytes });
    await curl('-L', '-o', received, address);
    expect(await sha256Of(received)).toBe(expected);
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
    expect(await sha256Of(received)).toBe(await sha256Of(file));
  });

  it('nothing is broken afterwards', async () => {
    expect(await brokenContent(service)).toEqual([]);
  });
});
