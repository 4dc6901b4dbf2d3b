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

/** A part of a route's path: a text, or a parameter with a name. */
interface Part {
  readonly text: string;
  readonly takes: number;
  readonly name: string | undefined;
}

const partOf = (text: string): Part => {
  const [, name, greedy] = /^\{(\w+)(\+?)\}$/.exec(text) ?? [];
  if (name === undefined) return { text, takes: takes.itself, name };
  return { text, takes: greedy ? takes.theRest : takes.oneSegment, name };
};

/** The parts of the paths of routes: each request is compared with those of many. */
const knownParts = new Map<string, readonly Part[]>();

/** The parts of a path in a contract, parted once. */
const partsOf = (path: string): readonly Part[] => {
  const known = knownParts.get(path);
  if (known) return known;
  const parts = path.split('/').map(partOf);
  knownParts.set(path, parts);
  return parts;
};

const asSent = (segment: string): string => segment;

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
  return route && { route, parameters: pathParameters(route.path, sent, asSent) };
};

/** The routes with the same method and first part of the path, of each list of routes. */
const groups = new WeakMap<readonly Route[], ReadonlyMap<string, readonly Route[]>>();

const groupOf = ({ method, path }: Route): string => {
  const first = partsOf(path)[1];
  return `${method} ${first?.name === undefined ? first?.text : '{}'}`;
};

/** The routes that have this method and may begin with this part. No other is compared with a request. */
const possibleRoutes = <R extends Route>(routes: readonly R[], method: string, first: string): readonly R[] => {
  const known = groups.get(routes) as ReadonlyMap<string, readonly R[]> | undefined;
  const grouped = known ?? Map.groupBy(routes, groupOf);
  if (!known) groups.set(routes, grouped);
  return [...(grouped.get(`${method} ${first}`) ?? []), ...(grouped.get(`${method} {}`) ?? [])];
};

const fits = ({ path }: Route, segments: readonly string[]): boolean => {
  const parts = partsOf(path);
  const isGreedy = parts.at(-1)?.takes === takes.theRest;
  return (
    (isGreedy ? parts.length <= segments.length : parts.length === segments.length) &&
    parts.every((part, index) => {
      if (part.takes === takes.itself) return part.text === segments[index];
      return part.takes === takes.theRest ? segments.slice(index).join('') !== '' : segments[index] !== '';
    })
  );
};

const specificFirst = (a: Route, b: Route): number => {
  const others = partsOf(b.path);
  for (const [index, part] of partsOf(a.path).entries()) {
    const difference = part.takes - (others[index]?.takes ?? takes.itself);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** The parameters in the segments of a path. `read` is asked for those that are one segment; a greedy one is the rest as it was sent. */
export const pathParameters = (
  path: string,
  segments: readonly string[],
  read: (segment: string) => string,
): Record<string, string> => {
  const parameters: Record<string, string> = {};
  for (const [depth, part] of partsOf(path).entries())
    if (part.name !== undefined)
      parameters[part.name] =
        part.takes === takes.theRest ? segments.slice(depth).join('/') : read(segments[depth] ?? '');
  return parameters;
};
