import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type Check,
  check,
  checkApi,
  checkFunctions,
  checkGone,
  checkKept,
  checkResources,
  checkRest,
  checkTable,
  functionsOf,
  keysOf,
  list,
  resourcesOf,
  tableOf,
  typesNotMade,
} from './checks.ts';
import { checkDoor, checkStackGone, doorHosts, withDoor } from './door-checks.ts';
import { type Emulator, RehearsalError, startEmulator } from './emulator.ts';
import { checkImport, checkRestoredTable, restoredTable } from './restore-checks.ts';
import { checkStore, checkStoreGone, checkStoreKept } from './store-checks.ts';

/**
 * Rehearses a deployment against an emulated AWS on this machine: bootstrap, deploy, a second deploy with a changed
 * handler, a third with nothing changed, a restore up to its import, destroy; the stage with each host of the door; and the
 * stage prod, which keeps its data.
 * Needs Python 3.12 or newer and, the first time, PyPI.
 */
const root = join(import.meta.dirname, '..', '..');
const stack = 'Stockroom-dev';
const changedFunction = 'GetHealth';

const [, cannotShow = ''] =
  /^(What it cannot show:\n\n(?:[- ] .*\n)+)/m.exec(readFileSync(join(root, 'RUNBOOK.md'), 'utf8')) ?? [];

let [checked, failures] = [0, 0];

// JSON knows no undefined.
const told = (found: unknown): string => JSON.stringify(found ?? null).slice(0, 4_000);

const tell = (checks: readonly Check[]): void => {
  for (const { title, isMet, found } of checks) {
    console.log(`${isMet ? '  ✓' : '  ✗'} ${title}${isMet ? '' : `: ${told(found)}`}`);
    checked += 1;
    if (!isMet) failures += 1;
  }
};

/** A copy of the sources, so that a handler can be changed. */
const copySources = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'stockroom-sources-'));
  for (const name of ['functions', 'infra', 'shared', 'cdk.json', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(directory, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  return directory;
};

const cdk = async (directory: string, { variables }: Emulator, ...words: string[]): Promise<string> => {
  console.log(`\n$ cdk ${words.join(' ')}`);
  const child = spawn(join(root, 'node_modules', '.bin', 'cdk'), [...words, '--no-notices', '--ci'], {
    cwd: directory,
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new RehearsalError(`cdk ${words[0]} failed:\n${output}${errors}`);
  return output + errors;
};

const deploy = (directory: string, emulator: Emulator, ...words: string[]): Promise<string> =>
  cdk(directory, emulator, 'deploy', ...words, '--require-approval', 'never', '--progress', 'events');

const tellCreated = async ({ aws }: Emulator, name: string): ReturnType<typeof resourcesOf> => {
  const resources = await resourcesOf(aws, name);
  tell(checkResources(resources, 'CREATE_COMPLETE'));
  console.log(`  – of these, taken note of and not made: ${typesNotMade(resources).join(', ')}`);
  return resources;
};

const item = { pk: { S: 'REHEARSAL' }, sk: { S: 'kept' } };

const first = async (directory: string, emulator: Emulator): Promise<void> => {
  const { aws } = emulator;
  await deploy(directory, emulator);
  const resources = await tellCreated(emulator, stack);
  tell(await checkTable(aws, resources));
  tell(await checkStore(aws, resources));
  tell(checkFunctions(await functionsOf(aws, resources)));
  tell(await checkApi(aws, resources));
  tell(await checkRest(aws, resources));
  await aws('dynamodb', 'put-item', '--table-name', tableOf(resources), '--item', JSON.stringify(item));
};

/** The resources of a type that differ, as `cdk diff` tells them. */
const changed = (diff: string, type: string): string[] =>
  Array.from(diff.matchAll(new RegExp(`^\\[[-+~]\\] ${type} (\\S+)`, 'gm')), ([line]) => line);

const second = async (directory: string, emulator: Emulator): Promise<void> => {
  const { aws } = emulator;
  appendFileSync(join(directory, 'functions', 'system', 'get-health.ts'), "\nconsole.log('another release');\n");
  const diff = await cdk(directory, emulator, 'diff');
  const output = await deploy(directory, emulator);
  const resources = await resourcesOf(aws, stack);
  const key = JSON.stringify(item);
  const kept = await aws('dynamodb', 'get-item', '--table-name', tableOf(resources), '--key', key);
  const events = Array.from(output.matchAll(/UPDATE_COMPLETE +\| \S+ +\| (\S+)/g), ([, name]) => name);
  const updated = new Set(events.filter((name) => name !== stack));
  const functions = changed(diff, 'AWS::Lambda::Function');
  tell([
    {
      title: 'one function differs, and its alias',
      isMet:
        functions.length === 1 &&
        functions.every((line) => line.includes(changedFunction)) &&
        changed(diff, 'AWS::Lambda::Alias').length === 1,
      found: diff,
    },
    {
      title: 'only the nested stack of that function is updated',
      isMet: updated.size === 1 && [...updated].every((name) => name?.startsWith('Functions/System')),
      found: events,
    },
    { title: 'what the table held is still there', isMet: kept?.Item !== undefined, found: kept },
  ]);
};

const third = async (directory: string, emulator: Emulator): Promise<void> => {
  const output = await deploy(directory, emulator);
  tell([
    { title: 'a deployment of the same again changes nothing', isMet: output.includes('(no changes)'), found: output },
  ]);
};

/** The ID of the restored table in the template, which the import asks for. */
const restoredId = (directory: string): string => {
  const { Resources } = JSON.parse(readFileSync(join(directory, 'cdk.out', `${stack}.template.json`), 'utf8')) as {
    readonly Resources: object;
  };
  return Object.keys(Resources).find((id) => id.startsWith('Restored')) ?? '';
};

/** Restores the table as the runbook says, up to the change set of the import: the emulator makes none that imports. */
const restore = async (directory: string, emulator: Emulator): Promise<void> => {
  const { aws } = emulator;
  tell(await checkRestoredTable(aws, tableOf(await resourcesOf(aws, stack)), item));
  const settings = join(directory, 'cdk.json');
  const before = readFileSync(settings, 'utf8');
  writeFileSync(settings, before.replace('"tables": ["Table"]', '"tables": ["Table", "Restored"]'));
  await cdk(directory, emulator, 'synth', '--quiet', '-c', 'release=at-once');
  const mapping = JSON.stringify({ [restoredId(directory)]: { TableName: restoredTable } });
  const imported = cdk(directory, emulator, 'import', '-c', 'release=at-once', '--resource-mapping-inline', mapping);
  tell(checkImport(await imported.catch(({ message }: RehearsalError) => message)));
  writeFileSync(settings, before);
  await aws('dynamodb', 'delete-table', '--table-name', restoredTable);
};

const last = async (directory: string, emulator: Emulator): Promise<void> => {
  const keys = keysOf(await resourcesOf(emulator.aws, stack));
  await cdk(directory, emulator, 'destroy', '--force');
  tell(await checkGone(emulator.aws, stack, keys));
  tell(await checkStoreGone(emulator.aws, stack));
};

/** Deploys and destroys the stage with each host of the door. */
const doors = async (directory: string, emulator: Emulator): Promise<void> => {
  const settings = join(directory, 'cdk.json');
  const before = readFileSync(settings, 'utf8');
  for (const uploads of doorHosts) {
    writeFileSync(settings, withDoor(before, uploads));
    await deploy(directory, emulator);
    tell(await checkDoor(emulator.aws, await tellCreated(emulator, stack), uploads));
    await cdk(directory, emulator, 'destroy', '--force');
    tell(await checkStackGone(emulator.aws, stack));
  }
  writeFileSync(settings, before);
};

const prod = async (directory: string, emulator: Emulator): Promise<void> => {
  const stage = ['-c', 'stage=prod'];
  await deploy(directory, emulator, ...stage);
  const resources = await tellCreated(emulator, 'Stockroom-prod');
  const about = ['--stack-name', 'Stockroom-prod'];
  const [described] = list(await emulator.aws('cloudformation', 'describe-stacks', ...about), 'Stacks');
  tell([check('the stack is protected', described?.EnableTerminationProtection, true)]);
  await emulator.aws('cloudformation', 'update-termination-protection', '--no-enable-termination-protection', ...about);
  await cdk(directory, emulator, 'destroy', '--force', ...stage);
  tell(await checkKept(emulator.aws, resources));
  tell(await checkStoreKept(emulator.aws, resources));
};

const rehearse = async (): Promise<void> => {
  console.log('Starting the emulator …');
  const emulator = await startEmulator();
  const directory = copySources();
  try {
    await cdk(directory, emulator, 'bootstrap', 'aws://000000000000/us-east-1');
    for (const act of [first, second, third, restore, last, doors, prod]) await act(directory, emulator);
  } finally {
    emulator.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  console.log(`\n${cannotShow}\n${failures === 0 ? `All ${checked} held.` : `${failures} did not hold.`}`);
};

try {
  await rehearse();
} catch (error) {
  if (!(error instanceof RehearsalError)) throw error;
  console.error(error.message);
  failures += 1;
}
process.exitCode = failures === 0 ? 0 : 1;
