import { needsIn } from '../../functions/conan/manifest.ts';
import { fileAddressIn, parsePath } from '../../functions/conan/paths.ts';
import { parsePattern } from '../../functions/conan/patterns.ts';
import { isName, parseRecipe, recipeIn } from '../../functions/conan/references.ts';
import { binariesIn, filesIn, recipesIn, revisionIn, revisionsIn } from '../../functions/conan/upstream.ts';
import { compareVersions } from '../../functions/conan/versions.ts';
import { type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { bearerIn } from '../../shared/upstream/login-tokens.ts';
import { bytes, itReadsInLinearTime, many, texts } from '../harness/growth.ts';

jest.setTimeout(240_000);

const sent = (content: Buffer): JsonObject => parseObject(content, 'The answer');

describe('The time to read what clients and upstreams of Conan send grows with its length, and no faster:', () => {
  itReadsInLinearTime({
    'a manifest': texts(
      needsIn,
      many(`a.txt: ${'0'.repeat(32)}\n`, '1\n'),
      many(': ', '1\n', '0'.repeat(32)),
      many('1'),
      many('\n', '1'),
    ),
    'paths and references': texts(
      (text) => [parsePath(text), fileAddressIn({ path: text }), parseRecipe(text), isName(text)],
      many('a'),
      many('a/'),
      many('x/', 'aa/1.0/_/_/revisions/1/files/'),
      many('@', 'aa/1.0'),
      many('%', 'aa/1.0/_/_/revisions/1/files/'),
    ),
    'segments of a recipe': texts(
      (text) => recipeIn([text, text, text, text]),
      many('a'),
      many('.', 'a'),
      many('-', 'a', '/'),
    ),
    versions: texts(
      (text) => compareVersions(text, `${text}.1`),
      many('1.'),
      many('1-'),
      many('1+'),
      many('1_', '', '1'),
      many('0.', '1.'),
    ),
    patterns: texts(
      (text) => parsePattern(text, true).takes('acme/1.0@me/stable'),
      many('*'),
      many('*a'),
      many('['),
      many('[!'),
      many('a-z', '[', ']'),
      many(']', '['),
    ),
    recipes: texts((text) => parsePattern('*a*b*c*[!d]*', true).takes(text), many('a'), many('abc'), many('d')),
    'answers of an upstream': bytes(
      (content) => {
        const answer = sent(content);
        return [filesIn, revisionsIn, recipesIn, binariesIn].map((read) => {
          try {
            return read(answer);
          } catch {
            return undefined;
          }
        });
      },
      many('"a",', '{"results":[', '"aa/1.0"]}'),
      many(
        '{"revision":"1","time":"2026-01-01T00:00:00Z"},',
        '{"revisions":[',
        '{"revision":"1","time":"2026-01-01T00:00:00Z"}]}',
      ),
      many('"a":{},', '{"files":{', '"b":{}}}'),
      many('/', '{"files":{"', '":{}}}'),
    ),
    'a revision and a token': bytes(
      (content) => [bearerIn(content), revisionIn({ revision: content.toString(), time: content.toString() })],
      many('a'),
      many(' '),
      many('1'),
    ),
  });
});
