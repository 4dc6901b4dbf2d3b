import { isReserved } from './file-names.ts';
import { isIncompatible, majorOf } from './versions.ts';

/** The rules of https://go.dev/ref/mod#go-mod-file-ident that an element of a module path breaks. */
const elementProblem = (element: string): string | undefined => {
  if (element === '') return 'has an empty element';
  if (!/^[\w.~-]+$/.test(element)) return 'may contain only ASCII letters, digits and - . _ ~';
  if (/^\.|\.$/.test(element)) return 'has an element that begins or ends with a dot';
  if (isReserved(element)) return 'has an element that Windows reserves';
  return /^[^.]*~\d+(?:\.|$)/.test(element) ? 'has an element that ends with a tilde and digits' : undefined;
};

/** The major version at the end of a path: '' if there is none, undefined if it has a form that Go refuses. */
export const pathMajorOf = (path: string): string | undefined => {
  if (path.startsWith('gopkg.in/')) return /\.(?<major>v0$|v[1-9]\d*(?=(?:-unstable)?$))/.exec(path)?.groups?.major;
  const suffix = /\/v(?<digits>[\d.]+)$/.exec(path);
  if (!suffix) return '';
  const { digits = '' } = suffix.groups ?? {};
  return /^(?:[2-9]|[1-9]\d+)$/.test(digits) ? `v${digits}` : undefined;
};

/** Parts of keys of the table: a path is stored in a key of at most 1,024 bytes. */
const pathLengthMax = 900;

/** The first rule that a text breaks as a module path; undefined if it is one. The rules are those of `module.CheckPath`. */
export const modulePathProblem = (path: string): string | undefined => {
  if (path.length > pathLengthMax) return `has more than ${pathLengthMax} characters`;
  const elements = path.split('/');
  const problem = elements.map(elementProblem).find((each) => each !== undefined);
  if (problem !== undefined) return problem;
  const [first = ''] = elements;
  if (!first.includes('.')) return 'needs a dot in its first element, such as corp.example/module';
  if (!/^[a-z0-9.][a-z0-9.-]*$/.test(first))
    return 'may contain only lower-case letters, digits, dots and dashes in its first element, which does not begin with a dash';
  return pathMajorOf(path) === undefined ? 'ends with a major version that Go refuses' : undefined;
};

/** Whether a canonical version belongs to the major version of a module path, as `module.CheckPathMajor` decides. */
export const fitsPathMajor = (path: string, version: string): boolean => {
  const pathMajor = pathMajorOf(path);
  const major = majorOf(version);
  if (pathMajor === '') return major === 'v0' || major === 'v1' || isIncompatible(version);
  // gopkg.in once made such pseudo-versions, and modules still require them.
  if (path.startsWith('gopkg.in/') && pathMajor === 'v1' && version.startsWith('v0.0.0-')) return true;
  return major === pathMajor;
};
