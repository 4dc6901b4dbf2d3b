import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Route } from '../shared/http/routes.ts';

/** What the front for reads knows of an endpoint. */
export interface ReadRoute extends Route {
  readonly id: string;
  /** Whether the API lets requests through without a credential. */
  readonly isOpen: boolean;
}

/** The handler of an endpoint, whose pipeline takes hooks. */
export interface ReadHandler {
  (event: APIGatewayProxyEvent, context: object): Promise<APIGatewayProxyResult>;
  use(hooks: {
    readonly after: (request: object) => unknown;
    readonly onError: (request: { readonly error: unknown }) => unknown;
  }): ReadHandler;
}

/** All endpoints, and how the handlers of those that read packages are loaded: the build writes both from the list of endpoints. */
export const routes: readonly ReadRoute[] = [];
export const handlers: Readonly<Record<string, () => Promise<{ readonly handler: ReadHandler }>>> = {};
