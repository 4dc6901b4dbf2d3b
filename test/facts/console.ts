import { getConsolePage } from '../../functions/console/contracts.ts';
import { everybody } from '../harness/callers.ts';
import type { Client } from '../harness/client.ts';
import type { EndpointFacts, FactsOf } from '../harness/endpoint-facts.ts';

const page: EndpointFacts = { answers: everybody('200'), cost: 'nothing', released: 'uses no items' };

/** The name of the script, which only the page knows. */
export const scriptIn = async (client: Client): Promise<string> => {
  const { text } = await client.call(getConsolePage, {});
  return /src="console\/([^"]*)"/.exec(text)?.[1] ?? '';
};

export const console: FactsOf<'console'> = {
  'console/get-console-page': page,
  'console/get-console-script': {
    ...page,
    request: async ({ client }) => ({ params: { script: await scriptIn(client) } }),
    // No document knows the script of the build that serves it.
    examples: [],
  },
};
