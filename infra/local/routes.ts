import type { ApiDocument } from './assembly.ts';

/** One method on one path of the API. */
export interface Route {
  readonly method: string;
  /** The path in the document, with parameters in braces. */
  readonly path: string;
  readonly functionArn: string;
  /** The security scheme of its authorizer; undefined on a public route. */
  readonly authorizer: string | undefined;
}

export interface Match {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

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

/** What a part of a route's path takes, the most specific first. */
const takes = { itself: 0, oneSegment: 1, theRest: 2 };

const kindOf = (part: string): number => {
  if (!part.startsWith('{')) return takes.itself;
  return part.endsWith('+}') ? takes.theRest : takes.oneSegment;
};

/**
 * API Gateway matches path and method as one pair: among the routes that have this method and fit this path, the one
 * that is more specific in the first part where they differ wins. A static path without the method leaves the request to
 * a path with a parameter. It ignores one trailing slash, and passes parameters on as they were sent: api-gateway.md says
 * how this is known. Throws URIError when the percent-encoding of the path is invalid.
 */
export const findRoute = (routes: readonly Route[], method: string, path: string): Match | undefined => {
  const sent = path.replace(/(?<=[^/])\/$/, '').split('/');
  const segments = sent.map(decodeURIComponent);
  const [route] = routes
    .filter((possible) => possible.method === method && fits(possible, segments))
    .toSorted(specificFirst);
  return route && { route, parameters: parametersOf(route, sent) };
};

const fits = ({ path }: Route, segments: readonly string[]): boolean => {
  const parts = path.split('/');
  const isGreedy = kindOf(parts.at(-1) ?? '') === takes.theRest;
  return (
    (isGreedy ? parts.length <= segments.length : parts.length === segments.length) &&
    parts.every((part, index) => {
      if (kindOf(part) === takes.itself) return part === segments[index];
      return kindOf(part) === takes.theRest ? segments.slice(index).join('') !== '' : segments[index] !== '';
    })
  );
};

const specificFirst = (a: Route, b: Route): number => {
  const others = b.path.split('/');
  for (const [index, part] of a.path.split('/').entries()) {
    const difference = kindOf(part) - kindOf(others[index] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
};

const parametersOf = ({ path }: Route, sent: readonly string[]): Match['parameters'] =>
  Object.fromEntries(
    path.split('/').flatMap((part, index) => {
      const [, name] = /^\{(\w+)\+?\}$/.exec(part) ?? [];
      const value = kindOf(part) === takes.theRest ? sent.slice(index).join('/') : (sent[index] ?? '');
      return name === undefined ? [] : [[name, value]];
    }),
  );
