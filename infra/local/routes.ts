import type * as routes from '../../shared/http/routes.ts';
import type { ApiDocument } from './assembly.ts';

/** One method on one path of the API, and what answers it. */
export interface Route extends routes.Route {
  readonly functionArn: string;
  /** The security scheme of its authorizer; undefined on a public route. */
  readonly authorizer: string | undefined;
}

export type Match = routes.Match<Route>;

/** All routes of the document. */
export const routesOf = ({ paths }: ApiDocument): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          security,
          'x-amazon-apigateway-integration': { uri },
        },
      ]) => ({
        method: method.toUpperCase(),
        path,
        functionArn: functionArnOf(uri),
        authorizer: security.flatMap((requirement) => Object.keys(requirement))[0],
      }),
    ),
  );

/** The ARN of the function that an integration or authorizer URI invokes, without the alias. */
export const functionArnOf = (uri: string): string =>
  /\/functions\/(arn:.+:function:[^:/]+)(?::[^/]+)?\/invocations$/.exec(uri)?.[1] ?? uri;
