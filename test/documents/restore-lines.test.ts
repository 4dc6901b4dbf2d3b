import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import cdkJson from '../../cdk.json' with { type: 'json' };

const root = join(__dirname, '..', '..');
const runbook = readFileSync(join(root, 'RUNBOOK.md'), 'utf8');
const [, names = ''] = /```sh\n(STACK=.*?)```/s.exec(runbook) ?? [];
const [, lines = ''] = /^2\. Restore into a new table.*?```sh\n(.*?)```/ms.exec(runbook) ?? [];

/**
 * The AWS CLI as far as the lines of the runbook need it. A table is not active for a while after each change of it, also after its
 * creation, and then it cannot be changed. The call whose operation is in FAILING fails.
 */
const cli = `#!/usr/bin/env bash
echo "$*" >> calls
[ "$2" != "$FAILING" ] || exit 254
busy=$(cat busy 2> /dev/null || echo 0)
case "$2" in
  describe-stacks) echo live-table ;;
  restore-table-to-point-in-time) echo 90 > busy ;;
  wait) exit 255 ;;
  update-*)
    [ "$busy" = 0 ] || exit 254
    [ "$2" != update-table ] || echo 3 > busy ;;
  describe-table)
    case "$*" in
      *Table.TableStatus*)
        if [ "$busy" = 0 ]; then echo ACTIVE; else echo $((busy - 1)) > busy; echo UPDATING; fi ;;
      *) echo described ;;
    esac ;;
esac
`;

const directories: string[] = [];
afterAll(() => {
  for (const each of directories) rmSync(each, { recursive: true });
});

/** Pastes the lines into a shell, and tells how they end and which calls they make. */
const paste = (stage: string, failing = '') => {
  const directory = mkdtempSync(join(tmpdir(), 'stockroom-restore-'));
  directories.push(directory);
  const tool = (name: string, text: string): void => {
    writeFileSync(join(directory, name), text);
    chmodSync(join(directory, name), 0o755);
  };
  tool('aws', cli);
  tool('sleep', '#!/bin/sh\n');
  writeFileSync(join(directory, 'cdk.json'), JSON.stringify(cdkJson));
  const { status } = spawnSync('bash', {
    cwd: directory,
    input: `${names}\nSTACK=Stockroom-${stage}\nSINCE=2026-11-20T10:00:00Z\n${lines}`,
    env: { PATH: `${directory}:${dirname(process.execPath)}:/usr/bin:/bin`, FAILING: failing },
    encoding: 'utf8',
  });
  const calls = join(directory, 'calls');
  return { status, calls: existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [] };
};

const isOf = (operation: string) => (call: string) => call.split(' ')[1] === operation;

describe('The lines that restore a table', () => {
  it.each([
    ['prod', 'MaxReadRequestUnits=10000,MaxWriteRequestUnits=4000', ['--deletion-protection-enabled']],
    ['dev', 'MaxReadRequestUnits=2000,MaxWriteRequestUnits=1000', []],
  ])('give that of %s all settings, one after the other, and then show them', (stage, ceilings, protection) => {
    const { status, calls } = paste(stage);
    expect(status).toBe(0);
    const changes = calls.filter(isOf('update-table')).map((call) => call.split(' ').slice(4));
    expect(changes).toEqual([
      ['--stream-specification', 'StreamEnabled=true,StreamViewType=NEW_IMAGE'],
      ['--on-demand-throughput', ceilings],
      ['--global-secondary-index-updates', `Update={IndexName=records,OnDemandThroughput={${ceilings}}}`],
      ...protection.map((each) => [each]),
    ]);
    const shown = calls.slice(-3).map((call) => call.split(' ')[1]);
    expect(shown).toEqual(['describe-time-to-live', 'describe-continuous-backups', 'describe-table']);
    expect(calls.filter((call) => !call.includes('live-table') && call.startsWith('dynamodb'))).toEqual(
      calls.slice(calls.findIndex(isOf('restore-table-to-point-in-time')) + 1),
    );
  });

  it.each([
    'describe-stacks',
    'restore-table-to-point-in-time',
    'describe-table',
    'update-time-to-live',
    'update-continuous-backups',
    'update-table',
  ])('end where %s fails, with nothing after it', (operation) => {
    const { status, calls } = paste('prod', operation);
    expect(status).not.toBe(0);
    expect(calls.filter(isOf(operation))).toHaveLength(1);
    expect(isOf(operation)(calls.at(-1) ?? '')).toBe(true);
  });
});
