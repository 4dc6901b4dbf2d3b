import { createHash } from 'node:crypto';
import { endpoint } from '../../shared/http/endpoint.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getConanSearch } from './contracts.ts';
import { parsePattern } from './patterns.ts';
import { findRecipes } from './recipes.ts';
import { conan } from './type.ts';

export const handler = endpoint(
  getConanSearch,
  async (call) => {
    const { q = '*', ignorecase } = call.query;
    const sources = addressedSources(call, conan);
    const { recipes, headers } = await findRecipes(call, sources, parsePattern(q, ignorecase !== 'False'), q);
    const content = JSON.stringify({ results: recipes });
    return answerLargeDocument(call, {
      name: q,
      revision: createHash('sha256').update(content).digest('base64url'),
      headers,
      fileName: 'search.json',
      mediaType: 'application/json',
      render: async () => Buffer.from(content),
    });
  },
  { alsoRead: alsoReadSources },
);
