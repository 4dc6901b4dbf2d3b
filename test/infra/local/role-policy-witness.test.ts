import { runUnsafeSimulation } from '@cloud-copilot/iam-simulate';
import fc, { type Arbitrary } from 'fast-check';
import { type AccessRequest, type PolicyStatement, RolePolicy } from '../../../infra/local/role-policy.ts';

/** So few letters that patterns and texts often meet. */
const text = (letters: string) =>
  fc.string({ unit: fc.constantFrom(...letters.split('')), minLength: 1, maxLength: 4 });
const oneOrMore = <T>(value: Arbitrary<T>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));

const arns = (regions: readonly string[], accounts: readonly string[], letters: string) =>
  fc.oneof(
    text(letters).map((key) => `arn:aws:s3:::${key}`),
    fc
      .tuple(fc.constantFrom(...regions), fc.constantFrom(...accounts), text(letters))
      .map(([region, account, name]) => `arn:aws:dynamodb:${region}:${account}:table/${name}`),
  );

const keys = fc.constantFrom('s3:prefix', 's3:Prefix', 'aws:TagKeys');
const values = fc.constantFrom('a', 'ab', 'b', 'true', 'false');
const expectedValues = oneOrMore(fc.oneof(values, fc.constantFrom('a*', '*b', '?', 'True')));
const booleans = oneOrMore(fc.constantFrom('true', 'false', 'True'));

const conditionsOf = (operator: string, expected: Arbitrary<string | string[]>) =>
  fc.tuple(fc.constantFrom('', 'ForAllValues:', 'ForAnyValue:'), keys, expected).map(([quantity, key, of]) => ({
    [`${operator === 'Null' ? '' : quantity}${operator}`]: { [key]: of },
  }));

const conditions = fc.oneof(
  conditionsOf('StringEquals', expectedValues),
  conditionsOf('StringNotEquals', expectedValues),
  conditionsOf('StringLike', expectedValues),
  conditionsOf('Bool', booleans),
  conditionsOf('Null', oneOrMore(fc.constantFrom('true', 'false'))),
);

const actions = fc.constantFrom('s3:GetObject', 's3:PutObject', 'dynamodb:GetItem');
const actionPatterns = fc.constantFrom('*', 's3:*', 's3:get*', 'S3:GetObject', 's3:?utObject', 'dynamodb:*Item');

const statements: Arbitrary<PolicyStatement> = fc.record(
  {
    Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
    Action: oneOrMore(fc.oneof(actions, actionPatterns)),
    Resource: oneOrMore(fc.oneof(fc.constant('*'), arns(['r1', '*', 'r?'], ['1', '*'], 'aA./:*?'))),
    Condition: fc.array(conditions, { minLength: 1, maxLength: 2 }).map((all) => Object.assign({}, ...all) as object),
  },
  { requiredKeys: ['Effect', 'Action', 'Resource'] },
) as Arbitrary<PolicyStatement>;

const requests: Arbitrary<AccessRequest> = fc.record({
  action: actions,
  resource: arns(['r1', 'r2'], ['1', '2'], 'aA./:'),
  context: fc.record(
    { 's3:prefix': values, 'aws:TagKeys': fc.oneof(values, fc.array(values, { maxLength: 2 })) },
    { requiredKeys: [] },
  ),
});

const judgedByLibrary = (Statement: readonly PolicyStatement[], { action, resource, context }: AccessRequest) =>
  runUnsafeSimulation(
    {
      request: {
        principal: 'arn:aws:sts::000000000000:assumed-role/role/function',
        action,
        resource: { resource, accountId: '000000000000' },
        contextVariables: context as Record<string, string | string[]>,
      },
      identityPolicies: [{ name: 'role', policy: { Version: '2012-10-17', Statement } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
    },
    {},
  );

describe('The policy of a role', () => {
  it('is judged as another implementation of IAM judges it', () => {
    const verdicts = { Allowed: 0, ExplicitlyDenied: 0, ImplicitlyDenied: 0 };
    fc.assert(
      fc.property(fc.array(statements, { minLength: 1, maxLength: 3 }), requests, (policy, request) => {
        const verdict = judgedByLibrary(policy, request);
        verdicts[verdict] += 1;
        expect(new RolePolicy(policy).decide(request).isAllowed).toBe(verdict === 'Allowed');
      }),
      { numRuns: 5_000 },
    );
    // Policies that nothing ever meets would prove nothing.
    for (const count of Object.values(verdicts)) expect(count).toBeGreaterThan(250);
  });
});
