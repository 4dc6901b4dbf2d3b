import { ApiError } from '../../errors.ts';
import { listBytesMax } from '../../limits.ts';
import type { List } from '../../table/lists.ts';
import type { Answered, Responder } from '../built-contract.ts';
import { type AnswerKind, listOf } from '../contract.ts';
import type { DescribedResponse, Documenter } from '../documenter.ts';
import { headerOf } from '../input.ts';
import { textResponse } from '../response.ts';

/** One JSON text in each line (github.com/ndjson/ndjson-spec). */
const linesMediaType = 'application/x-ndjson';

/** Responds with part of a list as a JSON array or as lines of JSON, and with a link to the next part. */
export const respond: Responder = (answered, outcome) => {
  const list = outcome as List<unknown>;
  const texts = fitting(list);
  const isCut = texts.length < list.entries.length;
  const next = isCut ? list.entries[texts.length - 1]?.position : list.next;
  if (next !== undefined && answered.page.limit === undefined) throw new ApiError('LIST_TOO_LONG');
  const canBeLines = listOf(answered.contract)?.isAlsoLines === true;
  const headers: Record<string, string> = canBeLines ? { Vary: 'Accept' } : {};
  if (next !== undefined) headers.Link = `<${nextQuery(answered, answered.seal(next))}>; rel="next"`;
  if (canBeLines && headerOf(answered.event, 'accept')?.includes(linesMediaType))
    return textResponse(200, answered.requestId, linesMediaType, texts.map((text) => `${text}\n`).join(''), headers);
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
  const query = new URLSearchParams((event.queryStringParameters ?? {}) as Record<string, string>);
  query.set('cursor', cursor);
  return `?${query.toString()}`;
};

/** The responses in the OpenAPI document. */
export const describe = (
  { items, isAlsoLines }: Extract<AnswerKind, { kind: 'list' }>,
  words: Documenter,
): Record<number, DescribedResponse> => ({
  200: {
    description: 'The list, or one page of it.',
    headers: isAlsoLines ? ['Link', 'Vary'] : ['Link'],
    content: {
      'application/json': {
        schema: words.schema({ type: 'array', items }),
        examples: { example: { value: words.example({ type: 'array', items }) } },
      },
      ...(isAlsoLines && {
        [linesMediaType]: {
          schema: { type: 'string', description: 'A line of JSON for each entry.' },
          example: `${JSON.stringify(words.example(items))}\n`,
        },
      }),
    },
  },
});
