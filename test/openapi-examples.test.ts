import { endpoints } from '../functions/endpoints.ts';
import type { Contract } from '../shared/http/contract.ts';
import { at, operationPointer } from './harness/document-rules.ts';
import { useService } from './harness/service.ts';

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly example?: string;
    readonly schema: { readonly examples?: readonly unknown[] };
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly examples: { readonly example: { value: object } } } };
  };
}

type Values = Readonly<Record<string, unknown>>;

/** Where an example could not know what the service made, or two examples would be about the same thing. */
interface Adaptation {
  readonly params?: (ids: Ids) => Readonly<Record<string, string>>;
  readonly body?: (ids: Ids) => Values;
}
/** The IDs of what the endpoints created, by the ID of the endpoint. */
type Ids = Readonly<Record<string, string>>;

const userId = { body: (ids: Ids) => ({ userId: ids['users/create-user'] }) };
const on = (repository: string): Adaptation => ({ params: () => ({ repository }) });

const onToken: Adaptation = { params: (ids) => ({ tokenId: String(ids['tokens/create-personal-access-token']) }) };

/** Every example once, in an order in which each finds what it is about. */
const story: readonly (readonly [id: string, adaptation?: Adaptation])[] = [
  ['system/get-health'],
  ['system/get-readiness'],
  ['system/get-openapi-document'],
  ['system/get-reference-page'],
  ['system/get-reference-script'],
  ['workspaces/create-workspace'],
  ['workspaces/list-workspaces'],
  ['workspaces/get-workspace'],
  ['users/create-user'],
  ['users/list-users'],
  ['users/get-user'],
  ['users/get-current-user'],
  ['users/update-user'],
  ['repositories/create-local-repository'],
  ['repositories/create-remote-repository'],
  [
    'repositories/create-virtual-repository',
    {
      body: (ids) => {
        const local = ids['repositories/create-local-repository'];
        return { childRepositoryIds: [local], uploadLocalRepositoryId: local };
      },
    },
  ],
  ['repositories/list-repositories'],
  ['repositories/get-repository'],
  ['repositories/update-repository', on('npmjs')],
  ['members/add-workspace-member', userId],
  ['members/list-workspace-members'],
  ['members/get-workspace-member'],
  ['members/add-repository-member', userId],
  ['members/add-member-to-repositories', userId],
  ['members/list-repository-members'],
  ['members/get-repository-member'],
  ['members/remove-repository-member'],
  ['members/remove-workspace-member'],
  ['tokens/create-personal-access-token'],
  ['tokens/list-personal-access-tokens'],
  ['tokens/list-user-personal-access-tokens'],
  ['tokens/get-personal-access-token', onToken],
  ['tokens/delete-personal-access-token', onToken],
  ['repositories/delete-repository', on('npm')],
  ['repositories/delete-repository', on('npmjs')],
  ['repositories/delete-repository'],
  ['workspaces/delete-workspace'],
  ['workspaces/create-workspace'],
  ['workspaces/delete-workspace-by-reference'],
];

const steps = story.map(([id, adaptation = {}]) => [id, adaptation] as const);

const service = useService();
const created: Record<string, string> = {};

const requestOf = (contract: Contract, { params, body }: Adaptation) => {
  const { parameters = [], requestBody } = at(operationPointer(contract)) as Operation;
  const path = parameters.filter((parameter) => parameter.in === 'path');
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.schema.examples);
  return {
    params: { ...Object.fromEntries(path.map(({ name, example = '' }) => [name, example])), ...params?.(created) },
    query: Object.fromEntries(query.map(({ name, schema }) => [name, String(schema.examples?.[0])])),
    ...(requestBody && {
      body: { ...requestBody.content['application/json'].examples.example.value, ...body?.(created) },
    }),
  };
};

describe('the examples of the OpenAPI document', () => {
  it('are all sent', () => {
    expect([...new Set(story.map(([id]) => id))].toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
  });

  // In order: each stands on those before.
  it.each(steps)('%s succeeds as documented', async (id, adaptation) => {
    const contract = endpoints.find((endpoint) => endpoint.id === id) as Contract;
    const { bearer } = await service.world.systemAdmin();
    const answer = await service.client.attempt(contract, { ...requestOf(contract, adaptation), as: bearer });
    expect(answer.problem).toBeUndefined();
    if (answer.status === 201) created[id] = (JSON.parse(answer.text) as { id: string }).id;
  });
});
