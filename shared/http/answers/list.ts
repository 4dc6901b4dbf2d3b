import { ApiError } from '../../errors.ts';
import { listBytesMax } from '../../limits.ts';
import type { List } from '../../table/lists.ts';
import type { Answered, Responder } from '../built-contract.ts';
import type { AnswerKind } from '../contract.ts';
import type { DescribedResponse, Documenter } from '../documenter.ts';
import { textResponse } from '../response.ts';

/** Responds with part of a list as a JSON array, and with a link to the next part. */
export const respond: Responder = (answered, outcome) => {
  const list = outcome as List<unknown>;
  const texts = fitting(list);
  const isCut = texts.length < list.entries.length;
  const next = isCut ? list.entries[texts.length - 1]?.position : list.next;
  if (next !== undefined && answered.page.limit === undefined) throw new ApiError('LIST_TOO_LONG');
  const headers: Record<string, string> = {};
  if (next !== undefined) headers.Link = `<${nextQuery(answered, answered.seal(next))}>; rel="next"`;
  return textResponse(200, answered.requestId, 'application/json', `[${texts.join(',')}]`, headers);
};

/** The entries as JSON, up to the size of one answer. */
const fitting = (list: List<unknown>): string[] => {
  const texts: string[] = [];
  let bytes = 0;
  for (const { item } of list.entries) {
    const text = JSON.stringify(item);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > listBytesMax) break;
    texts.push(text);
  }
  return texts;
};

/** Relative to the path of the list, so that it stays correct behind a proxy that removes a prefix of the path. */
const nextQuery = ({ event }: Answered, cursor: string): string => {
  const query = new URLSearchParams(event.queryStringParameters as Record<string, string>);
  query.set('cursor', cursor);
  return `?${query.toString()}`;
};

/** The responses in the OpenAPI document. */
export const describe = (
  { items }: Extract<AnswerKind, { kind: 'list' }>,
  words: Documenter,
): Record<number, DescribedResponse> => ({
  200: {
    description: 'The list, or one page of it.',
    headers: ['Link'],
    content: {
      'application/json': {
        schema: words.schema({ type: 'array', items }),
        examples: { example: { value: words.example({ type: 'array', items }) } },
      },
    },
  },
});
