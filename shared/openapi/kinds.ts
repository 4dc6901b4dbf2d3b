import * as bytesAnswer from '../http/answers/bytes.ts';
import * as fileAnswer from '../http/answers/file.ts';
import * as jsonAnswer from '../http/answers/json.ts';
import * as listAnswer from '../http/answers/list.ts';
import * as redirectAnswer from '../http/answers/redirect.ts';
import type { AnswerKind, Contract, RequestKind } from '../http/contract.ts';
import type { DescribedResponse, Documenter, Json } from '../http/documenter.ts';
import * as bytesRequest from '../http/requests/bytes.ts';
import * as formRequest from '../http/requests/form.ts';
import * as jsonRequest from '../http/requests/json.ts';
import * as multipartRequest from '../http/requests/multipart.ts';

/** The description of a request body, by its kind. */
export const describedRequest = (request: RequestKind, method: string, words: Documenter): Json => {
  switch (request.kind) {
    case 'json':
      return jsonRequest.describe(request, method, words);
    case 'multipart':
      return multipartRequest.describe(request, words);
    case 'form':
      return formRequest.describe(request);
    case 'bytes':
      return bytesRequest.describe(request);
    default:
      return request satisfies never;
  }
};

/** The descriptions of the successful responses by status, by the kind of the answer. */
export const describedAnswer = (
  answer: AnswerKind,
  contract: Contract,
  words: Documenter,
): Record<number, DescribedResponse> => {
  switch (answer.kind) {
    case 'json':
      return jsonAnswer.describe(answer, words, sentBody(contract, words));
    case 'list':
      return listAnswer.describe(answer, words);
    case 'file':
      return fileAnswer.describe(answer);
    case 'bytes':
      return bytesAnswer.describe(answer);
    case 'redirect':
      return redirectAnswer.describe(answer);
    default:
      return answer satisfies never;
  }
};

const sentBody = ({ request }: Contract, words: Documenter): unknown =>
  request?.kind === 'json' ? (request.example ?? words.example(request.body)) : undefined;
