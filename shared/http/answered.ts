import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { PageRequest } from '../table/lists.ts';
import type { BuiltContract } from './contract.ts';

/** The request that a response answers. */
export interface Answered {
  readonly contract: BuiltContract;
  readonly event: APIGatewayProxyEvent;
  readonly requestId: string;
  readonly page: PageRequest;
  /** What a cursor is bound to: the list, its filters and its caller. */
  readonly scope: readonly unknown[];
}
