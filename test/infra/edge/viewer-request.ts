import { runInNewContext } from 'node:vm';
import { edgeFunctionCode } from '../../../infra/edge/edge-function.ts';

/** A header as the functions of CloudFront see it: several of one name are in `multiValue`, of which `value` is the first. */
export interface ViewerHeader {
  readonly value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

export interface ViewerRequest {
  readonly method: string;
  readonly uri: string;
  readonly headers: Readonly<Record<string, ViewerHeader>>;
}

/** An answer of the function itself. */
export interface OwnAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, { readonly value: string }>>;
  readonly body: { readonly encoding: string; readonly data: string };
}

/** What the function did: whom CloudFront asks, and what with, or the answer. */
export interface Choice {
  readonly origin: string;
  readonly passed: ViewerRequest | OwnAnswer;
}

type Handler = (event: object) => ViewerRequest | OwnAnswer;

/**
 * The function as CloudFront runs it: its import is a global here, there is nothing of Node, and the origin is `api` unless it chooses
 * another. A header of a request is `{ value }`, and names are in lower case.
 */
export const edgeFunction = (
  hasFront: boolean,
): ((request: ViewerRequest, ip?: string, requestId?: string) => Choice) => {
  const code = edgeFunctionCode({ hasFront }).replace("import cf from 'cloudfront';", '');
  const chosen: string[] = [];
  const cf = { selectRequestOriginById: (id: string) => chosen.push(id) };
  const handler = runInNewContext(`${code}; handler`, { cf }) as Handler;
  return ({ method, uri, headers }, ip = '203.0.113.9', requestId = 'id==') => {
    const request = { method, uri, headers: { ...headers } };
    const passed = handler({ version: '1.0', context: { requestId }, viewer: { ip }, request });
    return { origin: chosen.splice(0).join() || 'api', passed };
  };
};
