import { everybody } from '../harness/callers.ts';
import type { EndpointFacts, FactsOf } from '../harness/endpoint-facts.ts';

/** Answers without the table. */
const document: EndpointFacts = { answers: everybody('200'), cost: 'nothing', released: 'uses no items' };

export const system: FactsOf<'system'> = {
  'system/get-health': document,
  'system/get-openapi-document': document,
  'system/get-readiness': { answers: everybody('200'), cost: 'item', released: () => ({}) },
  'system/get-reference-page': document,
  'system/get-reference-script': document,
};
