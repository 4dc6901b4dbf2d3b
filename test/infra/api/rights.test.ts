import { endpoints } from '../../../functions/endpoints.ts';
import { functionIdMetadata } from '../../../infra/api/function-metadata.ts';
import { authorizerRights, type Rights, rightsOf } from '../../../infra/api/rights.ts';
import { grantedTo, releases, withRelease } from '../../../infra/released-rights.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Contract } from '../../../shared/http/contract.ts';
import type { TableAction } from '../../../shared/http/function-rights.ts';
import { type Resources, synthesiseVariant, synthesisOfDev, type Templates } from '../templates.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

/** The statements of each function's role, by the function's id. */
const statementsIn = (templates: Templates) =>
  new Map(
    templates.flatMap(([, { Resources }]) =>
      Object.values(Resources)
        .filter(({ Metadata }) => Metadata?.[functionIdMetadata] !== undefined)
        .map(({ Metadata, Properties }) => {
          const role = Properties?.Role as { 'Fn::GetAtt': [string] };
          return [String(Metadata?.[functionIdMetadata]), statementsOf(Resources, role['Fn::GetAtt'][0])] as const;
        }),
    ),
  );

const statements = statementsIn(synthesisOfDev().templates);

function statementsOf(resources: Resources, role: string): readonly Statement[] {
  const policies = resources[role]?.Properties?.Policies as { PolicyDocument: { Statement: Statement[] } }[];
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

const storeRights = (id: string, of = statements): string[] =>
  (of.get(id) ?? [])
    .filter(({ Action }) => String(Action).includes('s3:'))
    .flatMap(({ Action, Resource }) => {
      const objects = Array.from(
        JSON.stringify(Resource).matchAll(/\/((?:blobs|staging)\/\*)"\]/g),
        ([, each]) => each,
      );
      return [Action].flat().flatMap((action) => objects.map((each) => `${action.slice('s3:'.length)} ${each}`));
    })
    .toSorted();

const tableActions = (id: string, of = statements): string[] =>
  (of.get(id) ?? [])
    .flatMap(({ Action, Resource }) => {
      const index = JSON.stringify(Resource).includes('/index/records') ? ' records' : '';
      return [Action].flat().map((action) => action + index);
    })
    .filter((action) => action.startsWith('dynamodb:'))
    .map((action) => action.slice('dynamodb:'.length))
    .toSorted();

/** What the functions of the last release need: their versions are live until the aliases have moved. */
const [released] = releases.slice(-1);
const rightsBefore = released?.rights ?? {};

describe('the rights of the last release', () => {
  it('are recorded with its items', () => {
    expect(released?.version).toBe(packageJson.version);
    expect(Object.keys(rightsBefore)).toContain('authorizer');
  });

  it('stay with those of the release before, beside which the tag of a release is deployed', () => {
    const needing = (version: string, ...table: TableAction[]) => ({
      version,
      rights: { authorizer: { ...authorizerRights, table } },
    });
    const first = withRelease([], needing('0.1.0', 'Query'));
    const second = withRelease(first, needing('0.2.0', 'PutItem'));
    expect(grantedTo('authorizer', authorizerRights, second).table).toEqual([
      ...authorizerRights.table,
      'Query',
      'PutItem',
    ]);
    // Recorded again before it is tagged, it does not take the place of the one before.
    expect(withRelease(second, needing('0.2.0', 'PutItem'))).toEqual(second);
    const third = withRelease(second, needing('0.3.0'));
    expect(third.map(({ version }) => version)).toEqual(['0.2.0', '0.3.0']);
    expect(grantedTo('authorizer', authorizerRights, third).table).not.toContain('Query');
  });

  it('stay with a function whose code needs fewer now, in its role and its settings', () => {
    const wanted = { table: ['BatchGetItem', 'Query'], store: [], encrypts: true, decrypts: false, invokes: [] };
    const id = 'repositories/create-remote-repository';
    const { table, ...others } = rightsBefore[id] as Rights;
    expect(grantedTo(id, { ...wanted, encrypts: false } as Rights)).toEqual({
      ...others,
      table: [...wanted.table, ...table.filter((action) => !wanted.table.includes(action))],
    });
    expect(grantedTo('made/up', wanted as Rights)).toEqual(wanted);
  });

  it('are granted by the template', () => {
    const lesser = endpoints.map((endpoint: Contract) => Object.assign({}, endpoint, { table: [] }));
    const { templates } = synthesiseVariant({ stage: 'dev', endpoints: lesser });
    const ofLesser = statementsIn(templates);
    for (const endpoint of lesser) {
      const { table } = rightsOf(endpoint);
      const expected = [...new Set([...table, ...(rightsBefore[endpoint.id]?.table ?? [])])].toSorted();
      expect([endpoint.id, tableActions(endpoint.id, ofLesser)]).toEqual([endpoint.id, expected]);
    }
    expect(tableActions('workspaces/create-workspace', ofLesser)).toContain('PutItem');
  });
});

describe('the rights of the functions', () => {
  it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    '%s may do with the table what its contract says, and the first read unless it is public',
    (id, { access, table }) => {
      const first = access === 'public' ? [] : ['BatchGetItem'];
      const before = rightsBefore[id]?.table ?? [];
      expect(tableActions(id)).toEqual([...new Set([...first, ...table, ...before])].toSorted());
    },
  );

  it.each(endpoints.map(({ id, store = [] }: Contract) => [id, store] as const))(
    '%s may do with the objects of the store what its contract says',
    (id, store) => {
      expect(storeRights(id)).toEqual([...new Set([...store, ...(rightsBefore[id]?.store ?? [])])].toSorted());
    },
  );

  it.each([
    ['authorizer', ['BatchGetItem', 'UpdateItem']],
    ['fetcher', ['BatchGetItem', 'ConditionCheckItem', 'PutItem', 'UpdateItem']],
    ['verifier', ['BatchGetItem', 'DeleteItem', 'PutItem', 'UpdateItem']],
    ['importer', ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem']],
    ['sweeper', ['BatchGetItem', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem']],
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
    // In a stack nested or not, and the index.
    expect(new Set(resources).size).toBeLessThanOrEqual(3);
  });

  it('let nobody use a key but to encrypt or to decrypt, and nobody do both', () => {
    const actions = [...statements.values()].flat().flatMap(({ Action }) => Action);
    const ofKeys = (id: string) =>
      statements
        .get(id)
        ?.flatMap(({ Action }) => Action)
        .filter((action) => action.startsWith('kms:')) ?? [];
    const used = [...statements.keys()].map((id) => ofKeys(id).join(' '));
    // Who signs does it with other keys.
    const signing = 'kms:Decrypt kms:GetPublicKey kms:Sign';
    expect([...new Set(used)].toSorted()).toEqual(['', 'kms:Decrypt', signing, 'kms:Encrypt']);
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });
});
