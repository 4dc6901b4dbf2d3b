import { endpoints } from '../../functions/endpoints.ts';
import { functionIdMetadata } from '../../infra/function-metadata.ts';
import { type Resources, synthesisOfDev } from './templates.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

const { templates } = synthesisOfDev();

/** The statements of each function's role, by the function's id. */
const statements = new Map(
  templates.flatMap(([, { Resources }]) =>
    Object.values(Resources)
      .filter(({ Metadata }) => Metadata?.[functionIdMetadata] !== undefined)
      .map(({ Metadata, Properties }) => {
        const role = Properties?.Role as { 'Fn::GetAtt': [string] };
        return [String(Metadata?.[functionIdMetadata]), statementsOf(Resources, role['Fn::GetAtt'][0])] as const;
      }),
  ),
);

function statementsOf(resources: Resources, role: string): readonly Statement[] {
  const policies = resources[role]?.Properties?.Policies as { PolicyDocument: { Statement: Statement[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

const storeRights = (id: string): string[] =>
  (statements.get(id) ?? [])
    .filter(({ Action }) => String(Action).includes('s3:'))
    .flatMap(({ Action, Resource }) => {
      const objects = Array.from(
        JSON.stringify(Resource).matchAll(/\/((?:blobs|staging)\/\*)"\]/g),
        ([, each]) => each,
      );
      return [Action].flat().flatMap((action) => objects.map((each) => `${action.slice('s3:'.length)} ${each}`));
    })
    .toSorted();

const tableActions = (id: string): string[] =>
  (statements.get(id) ?? [])
    .flatMap(({ Action }) => Action)
    .filter((action) => action.startsWith('dynamodb:'))
    .map((action) => action.slice('dynamodb:'.length))
    .toSorted();

describe('the rights of the functions', () => {
  it.each(endpoints.map(({ id, access, table }) => [id, access, table] as const))(
    '%s may do with the table what its contract says, and the first read unless it is public',
    (id, access, table) => {
      const first = access === 'public' ? [] : ['BatchGetItem'];
      expect(tableActions(id)).toEqual([...new Set([...first, ...table])].toSorted());
    },
  );

  it.each(endpoints.map(({ id, store = [] }) => [id, store] as const))(
    '%s may do with the objects of the store what its contract says',
    (id, store) => {
      expect(storeRights(id)).toEqual([...store].toSorted());
    },
  );

  it.each([
    ['authorizer', ['BatchGetItem', 'UpdateItem']],
    ['fetcher', ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem']],
    ['sweeper', ['BatchGetItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem']],
    ['first-admin', ['BatchGetItem', 'PutItem', 'UpdateItem']],
  ])('%s may do with the table what its work needs', (id, actions) => {
    expect(tableActions(id)).toEqual(actions);
  });

  it('are rights to the one table', () => {
    const resources = [...statements.values()]
      .flat()
      .filter(({ Action }) => String(Action).includes('dynamodb:'))
      .map(({ Resource }) => JSON.stringify(Resource));
    for (const resource of resources) expect(resource).toMatch(/TableCD117FA1|Table[0-9A-F]{8}Arn/);
    expect(new Set(resources).size).toBeLessThanOrEqual(2);
  });

  it('let nobody use a key but to encrypt or to decrypt, and nobody do both', () => {
    const actions = [...statements.values()].flat().flatMap(({ Action }) => Action);
    const ofKeys = (id: string) =>
      statements
        .get(id)
        ?.flatMap(({ Action }) => Action)
        .filter((action) => action.startsWith('kms:')) ?? [];
    const used = [...statements.keys()].map((id) => ofKeys(id).join(' '));
    expect([...new Set(used)].toSorted()).toEqual(['', 'kms:Decrypt', 'kms:Encrypt']);
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });
});
