import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { AccessAttempt } from '../../../infra/local/access-check.ts';
import { accessRequestsOf } from '../../../infra/local/access-requests.ts';
import { type PolicyStatement, RolePolicy } from '../../../infra/local/role-policy.ts';
import { startRunner } from '../../../infra/local/runner.ts';
import { assemblyDirectory } from '../../harness/assembly.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/one';
const key = 'arn:aws:kms:us-east-1:000000000000:key/one';

const allow = (statement: Omit<PolicyStatement, 'Effect'>): PolicyStatement => ({ Effect: 'Allow', ...statement });

const isAllowed = (statements: readonly PolicyStatement[], target: string, call: object): boolean =>
  accessRequestsOf(target, JSON.stringify(call)).every(
    (request) => new RolePolicy(statements).decide(request).isAllowed,
  );

const dynamodb = (operation: string) => `DynamoDB_20120810.${operation}`;

describe('The policy of a role', () => {
  const read = allow({ Action: ['dynamodb:GetItem', 'dynamodb:Query'], Resource: table });

  it.each([
    ['an action on its table', [read], 'GetItem', { TableName: 'one' }, true],
    ['another action', [read], 'PutItem', { TableName: 'one' }, false],
    ['another table', [read], 'GetItem', { TableName: 'one2' }, false],
    ['an index of the table', [read], 'Query', { TableName: 'one', IndexName: 'byName' }, false],
    [
      'an index by a pattern',
      [allow({ Action: '*', Resource: `${table}/index/*` })],
      'Query',
      { TableName: 'one', IndexName: 'a' },
      true,
    ],
    [
      'any action by a pattern',
      [allow({ Action: 'dynamodb:*Item', Resource: '*' })],
      'PutItem',
      { TableName: 'x' },
      true,
    ],
    [
      'one character by a pattern',
      [allow({ Action: 'dynamodb:Quer?', Resource: '*' })],
      'Query',
      { TableName: 'x' },
      true,
    ],
    [
      'what one statement allows and another denies',
      [read, { ...read, Effect: 'Deny' as const }],
      'GetItem',
      { TableName: 'one' },
      false,
    ],
    [
      'an account by a pattern, which reaches no further',
      [allow({ Action: '*', Resource: table.replace('000000000000', '*') })],
      'GetItem',
      { TableName: `arn:aws:dynamodb:us-east-1:1:backup:${table.split(':').slice(5).join(':')}` },
      false,
    ],
    ['nothing', [], 'GetItem', { TableName: 'one' }, false],
  ] as const)('is asked for %s', (_, statements, operation, call, expected) => {
    expect(isAllowed(statements, dynamodb(operation), call)).toBe(expected);
  });

  it('is asked for each item of a transaction as for a call of its own', () => {
    const TransactItems = [{ Put: { TableName: 'one' } }, { ConditionCheck: { TableName: 'one' } }];
    const put = allow({ Action: 'dynamodb:PutItem', Resource: table });
    const check = allow({ Action: 'dynamodb:ConditionCheckItem', Resource: table });
    const write = dynamodb('TransactWriteItems');
    expect(isAllowed([put], write, { TransactItems })).toBe(false);
    expect(isAllowed([check], write, { TransactItems })).toBe(false);
    expect(isAllowed([put, check], write, { TransactItems })).toBe(true);
    const get = { TransactItems: [{ Get: { TableName: 'one' } }] };
    expect(isAllowed([read], dynamodb('TransactGetItems'), get)).toBe(true);
    expect(isAllowed([read], dynamodb('BatchGetItem'), { RequestItems: { one: {} } })).toBe(false);
  });

  it.each([
    ['both names', { workspaceId: 'w', repositoryId: 'r' }, true],
    ['one name', { workspaceId: 'w' }, false],
    ['a third name', { workspaceId: 'w', repositoryId: 'r', other: 'o' }, false],
    ['no name', {}, false],
  ] as const)('lets a password be encrypted for a context of %s: %o', (_, EncryptionContext, expected) => {
    const encrypt = allow({
      Action: 'kms:Encrypt',
      Resource: key,
      Condition: {
        'ForAllValues:StringEquals': { 'kms:EncryptionContextKeys': ['workspaceId', 'repositoryId'] },
        Null: { 'kms:EncryptionContext:workspaceId': 'false', 'kms:EncryptionContext:repositoryId': 'false' },
      },
    });
    expect(isAllowed([encrypt], 'TrentService.Encrypt', { KeyId: key, EncryptionContext })).toBe(expected);
    expect(isAllowed([encrypt], 'TrentService.Decrypt', { KeyId: key, EncryptionContext })).toBe(false);
  });

  it('is refused with what the runner does not know, rather than passed over', () => {
    const strange = { ...read, NotAction: 'dynamodb:Scan' };
    expect(() => new RolePolicy([strange])).toThrow('does not know NotAction');
    const condition = { ...read, Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } };
    expect(() => isAllowed([condition], dynamodb('GetItem'), { TableName: 'one' })).toThrow(
      'does not know the condition',
    );
    for (const Resource of ['arn:aws:dynamodb:*', `${table}/\${aws:username}`])
      expect(() => new RolePolicy([{ ...read, Resource }])).toThrow('The local runner does not know');
  });
});

/** The assembly of this test run, without one right of the roles whose names begin so. */
const assemblyWithout = (action: string, roles: string): string => {
  const without = (name: string, resource: unknown): unknown =>
    name.startsWith(roles)
      ? JSON.parse(JSON.stringify(resource).replaceAll(`"${action}"`, '"dynamodb:ListTables"'))
      : resource;
  const changed = (text: string): string => {
    const template = JSON.parse(text) as { readonly Resources: Readonly<Record<string, unknown>> };
    const resources = Object.entries(template.Resources).map(([name, each]) => [name, without(name, each)]);
    return JSON.stringify({ ...template, Resources: Object.fromEntries(resources) });
  };
  const directory = mkdtempSync(join(tmpdir(), 'stockroom-rights-'));
  for (const name of readdirSync(assemblyDirectory())) {
    const [source, copy] = [join(assemblyDirectory(), name), join(directory, name)];
    if (!name.endsWith('.template.json')) symlinkSync(source, copy);
    else writeFileSync(copy, changed(readFileSync(source, 'utf8')));
  }
  return directory;
};

describe('The local runner', () => {
  it.each([
    ['an endpoint', 'dynamodb:Query', '', 500],
    ['the authorizer', 'dynamodb:BatchGetItem', 'FunctionsAuthorizer', 503],
  ])(
    'answers a call that the role of %s does not allow as AWS would: refused, told in the log, counted, and a failure for the client',
    async (_, action, roles, expected) => {
      const assembly = assemblyWithout(action, roles);
      const [lines, refused]: [string[], AccessAttempt[]] = [[], []];
      const firstAdmin = { username: 'admin', password: 'a password of the test' };
      const runner = await startRunner({
        assembly,
        host: '127.0.0.1',
        port: 0,
        dataDir: ':memory:',
        firstAdmin,
        logSink: (line) => lines.push(line),
        accessSink: (access) => access.isAllowed || refused.push(access),
      });
      try {
        const authorization = `Basic ${Buffer.from(`admin:${firstAdmin.password}`).toString('base64')}`;
        const { status } = await fetch(`${runner.url}/1/users`, { headers: { authorization } });
        expect(status).toBe(expected);
        expect(refused).toMatchObject([{ action, isAllowed: false }]);
        // The alarm of access denials counts these. A line arrives a moment after the answer.
        const counted = () => lines.filter((line) => line.includes('"_aws"') && line.includes('"accessDenials":1'));
        for (let round = 0; round < 500 && counted().length === 0; round += 1) await pause(20);
        expect(counted()).toHaveLength(1);
        expect(lines.join('\n')).toContain('The role of this function lacks a right');
        expect(lines.join('\n')).toMatch(`is not authorized to perform: ${action}`);
      } finally {
        await runner.stop();
        rmSync(assembly, { recursive: true });
      }
    },
  );
});
