import { type EndpointId, endpoints } from '../../functions/endpoints.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { at, operationPointer } from '../harness/document-rules.ts';
import { type Adaptation, facts } from '../harness/endpoint-facts.ts';
import { useService } from '../harness/service.ts';

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

const order = Object.keys(facts);
const inOrder = endpoints.toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id));

/** Every example, in an order in which each finds what it is about: creations, then the rest, then deletions backwards. */
const story = [
  ...inOrder.filter(({ method }) => method === 'POST' || method === 'PUT'),
  ...inOrder.filter(({ method }) => method === 'GET' || method === 'PATCH'),
  ...inOrder.filter(({ method }) => method === 'DELETE').toReversed(),
];

const asItIs: Adaptation = () => ({});
const steps = story.flatMap((contract) =>
  (facts[contract.id].examples ?? [asItIs]).map((adapt) => [contract.id, contract, adapt] as const),
);

const service = useService();
const created: Partial<Record<EndpointId, string>> = {};

const requestOf = (contract: Contract, adapt: Adaptation) => {
  const { params, body } = adapt(created);
  const { parameters = [], requestBody } = at(operationPointer(contract)) as Operation;
  const path = parameters.filter((parameter) => parameter.in === 'path');
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.schema.examples);
  return {
    params: { ...Object.fromEntries(path.map(({ name, example = '' }) => [name, example])), ...params },
    query: Object.fromEntries(query.map(({ name, schema }) => [name, String(schema.examples?.[0])])),
    ...(requestBody && {
      body: { ...requestBody.content['application/json'].examples.example.value, ...body },
    }),
  };
};

describe('the examples of the OpenAPI document', () => {
  it('are all sent', () => {
    expect(story.map(({ id }) => id).toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
  });

  // In order: each stands on those before.
  it.each(steps)('%s succeeds as documented', async (id, contract, adapt) => {
    const { bearer } = await service.world.systemAdmin();
    const answer = await service.client.attempt(contract, { ...requestOf(contract, adapt), as: bearer });
    expect(answer.problem).toBeUndefined();
    if (answer.status === 201) created[id] = (JSON.parse(answer.text) as { id: string }).id;
  });
});
