import { endpoints, isPackageRead } from '../../functions/endpoints.ts';
import { definitions } from '../../functions/package-definitions.ts';
import { type Contract, isOpen, methodsOf } from '../../shared/http/contract.ts';

const isGreedy = (part: string | undefined): boolean => part?.endsWith('+}') ?? false;

/** Whether whatever fits one path fits another, too. */
const isWithin = (path: string, other: string): boolean => {
  const [parts, others] = [path.split('/'), other.split('/')];
  if (isGreedy(others.at(-1)) ? parts.length < others.length : parts.length !== others.length) return false;
  return others.every(
    (part, at) => isGreedy(part) || part === parts[at] || (part.startsWith('{') && !isGreedy(parts[at])),
  );
};

/** The pattern of a path, in which each segment has one spelling and no slash. */
const patternOf = (path: string): string =>
  path
    .replaceAll('.', '\\.')
    .replaceAll(/\{\w+\+\}/g, '/*[^/].*')
    .replaceAll(/\{\w+\}/g, '[^/]+')
    .replaceAll('/', '\\/')
    .replaceAll('[^\\/]', '[^/]');

/** One pattern for the paths of some endpoints. Those of package types that differ in their root alone are one. */
const patternsOf = (paths: readonly string[]): string => {
  const different = [...new Set(paths)].filter(
    (path, at, all) => !all.some((other, place) => place !== at && isWithin(path, other)),
  );
  const byRest = Map.groupBy(different, (path) => path.slice(path.indexOf('/', 1)));
  const patterns = Array.from(byRest, ([rest, alike]) => {
    const roots = alike.map((path) => path.slice(1, path.indexOf('/', 1)));
    return rest.startsWith('/') ? `\\/(?:${roots.join('|')})${patternOf(rest)}` : alike.map(patternOf).join('|');
  });
  return `^(?:${patterns.join('|')})$`;
};

const pathsOf = (method: 'GET' | 'HEAD', isWanted: (endpoint: Contract) => boolean): readonly string[] =>
  endpoints.filter((each) => methodsOf(each).includes(method) && isWanted(each)).map(({ path }) => path);

/** Below the root of a package type, and no read of packages: where a client of images asks for the challenge. */
const isProof = (endpoint: Contract): boolean =>
  !isPackageRead(endpoint) && !isOpen(endpoint) && definitions.some(({ root }) => `${endpoint.path}/` === root);

/**
 * The reads of packages, and what else of package clients wants a challenge, as regular expressions. They fit a path whose segments are
 * decoded, encoded again, and without one slash at its end: just what `findRoute` finds.
 */
export const readPatterns = {
  GET: patternsOf(pathsOf('GET', isPackageRead)),
  HEAD: patternsOf(pathsOf('HEAD', isPackageRead)),
  proof: patternsOf(pathsOf('GET', isProof)),
} as const;
