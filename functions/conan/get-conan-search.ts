import { hash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { answerDocument } from '../../shared/packages/serve/document-answers.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { getConanSearch } from './contracts.ts';
import { parsePattern } from './patterns.ts';
import { findRecipes } from './recipes.ts';
import { conan } from './type.ts';
import { order } from './versions.ts';

/** What fits into an answer, also where a client takes none that is compressed. */
const contentLengthMax = 4_000_000;

export const handler = endpoint(
  getConanSearch,
  async (call) => {
    const { q = '*', ignorecase } = call.query;
    const sources = addressedSources(call, { ...conan, order });
    const { recipes, headers } = await findRecipes(call, sources, parsePattern(q, ignorecase !== 'False'), q);
    const content = JSON.stringify({ results: recipes });
    if (content.length > contentLengthMax)
      throw new ApiError(
        'LIST_TOO_LONG',
        'The search finds too much for one answer: begin the pattern with more of the name.',
      );
    return answerDocument(call, {
      name: q,
      revision: hash('sha256', content, 'base64url'),
      headers,
      mediaType: 'application/json',
      render: async () => Buffer.from(content),
    });
  },
  { alsoRead: alsoReadSources },
);
