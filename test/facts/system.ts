import { everybody } from '../harness/callers.ts';
import type { EndpointFacts, FactsOf } from '../harness/endpoint-facts.ts';

/** Answers without the table. */
const document: EndpointFacts = { answers: everybody('200'), calls: 0, units: [0, 0], released: 'uses no items' };

export const system: FactsOf<'system'> = {
  'system/get-health': document,
  'system/get-openapi-document': document,
  'system/get-readiness': { answers: everybody('200'), calls: 1, units: [1, 0], released: () => ({}) },
  'system/get-reference-page': document,
  'system/get-reference-script': document,
};
