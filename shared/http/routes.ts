/** One method on one path of the API. */
export interface Route {
  readonly method: string;
  /** The path in the contract, with parameters in braces. */
  readonly path: string;
}

/** The route of a request, and the parameters of its path as they were sent. */
export interface Match<R extends Route> {
  readonly route: R;
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a part of a route's path takes, the most specific first. */
const takes = { itself: 0, oneSegment: 1, theRest: 2 };

const kindOf = (part: string): number => {
  if (!part.startsWith('{')) return takes.itself;
  return part.endsWith('+}') ? takes.theRest : takes.oneSegment;
};

/**
 * API Gateway matches path and method as one pair: among the routes that have this method and fit this path, the one
 * that is more specific in the first part where they differ wins. A static path without the method leaves the request to
 * a path with a parameter. It ignores one trailing slash, and passes parameters on as they were sent:
 * infra/local/api-gateway.md says how this is known. Throws URIError when the percent-encoding of the path is invalid.
 */
export const findRoute = <R extends Route>(
  routes: readonly R[],
  method: string,
  path: string,
): Match<R> | undefined => {
  const sent = path.replace(/(?<=[^/])\/$/, '').split('/');
  const segments = sent.map(decodeURIComponent);
  const [route] = possibleRoutes(routes, method, segments[1] ?? '')
    .filter((possible) => fits(possible, segments))
    .toSorted(specificFirst);
  return route && { route, parameters: parametersOf(route, sent) };
};

/** The routes with the same method and first part of the path, of each list of routes. */
const groups = new WeakMap<readonly Route[], ReadonlyMap<string, readonly Route[]>>();

const groupOf = (method: string, first: string): string => `${method} ${kindOf(first) === takes.itself ? first : '{}'}`;

/** The routes that have this method and may begin with this part. No other is compared with a request. */
const possibleRoutes = <R extends Route>(routes: readonly R[], method: string, first: string): readonly R[] => {
  const known = groups.get(routes) as ReadonlyMap<string, readonly R[]> | undefined;
  const grouped = known ?? Map.groupBy(routes, (route) => groupOf(route.method, partsOf(route)[1] ?? ''));
  if (!known) groups.set(routes, grouped);
  return [...(grouped.get(`${method} ${first}`) ?? []), ...(grouped.get(`${method} {}`) ?? [])];
};

/** The parts of the paths of routes: each request is compared with those of all routes. */
const knownParts = new Map<string, readonly string[]>();

const partsOf = ({ path }: Route): readonly string[] => {
  const known = knownParts.get(path);
  if (known) return known;
  const parts = path.split('/');
  knownParts.set(path, parts);
  return parts;
};

const fits = (route: Route, segments: readonly string[]): boolean => {
  const parts = partsOf(route);
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

const parametersOf = ({ path }: Route, sent: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    path.split('/').flatMap((part, index) => {
      const [, name] = /^\{(\w+)\+?\}$/.exec(part) ?? [];
      const value = kindOf(part) === takes.theRest ? sent.slice(index).join('/') : (sent[index] ?? '');
      return name === undefined ? [] : [[name, value]];
    }),
  );
