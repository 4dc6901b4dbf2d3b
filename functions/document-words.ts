import { pathParameters, tags, type Words } from '../shared/openapi/words.ts';
import { definitions } from './package-definitions.ts';

const { system, ...others } = tags;

/** The words of the document: those of the service, and those of each package type before the health checks. */
export const documentWords: Words = {
  tags: {
    ...others,
    ...Object.fromEntries(definitions.map(({ name, words: { title, description } }) => [name, { title, description }])),
    system,
  },
  refusalHeaders: Object.fromEntries(
    definitions.map(({ name, words: { refusalHeaders = [] } }) => [name, refusalHeaders]),
  ),
  pathParameters: Object.assign({}, pathParameters, ...definitions.map(({ words }) => words.pathParameters)),
};
