import { documentWords } from '../../../functions/document-words.ts';
import { object, schema } from '../../../shared/http/schema.ts';
import { openApiDocument } from '../../../shared/openapi/document.ts';
import { sampleTags } from '../../sample-endpoints/endpoints.ts';
import { putSample } from '../../sample-endpoints/samples/contracts.ts';

const words = { ...documentWords, tags: sampleTags };

describe('The examples of the document', () => {
  it('are missed by the endpoint and the field that has none', () => {
    const file = object({ size: schema({ type: 'string', maxLength: 9, allowed: 'a text' }) });
    const result = object({ files: { type: 'array', items: file } });
    const answer = { kind: 'json', success: 201, result } as const;
    expect(() => openApiDocument([{ ...putSample, answer }], '1.0.0', words)).toThrow(
      'samples/put-sample: /files/0/size must be a text and has no example: add one to its schema.',
    );
  });
});
