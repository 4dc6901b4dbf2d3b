import { type NameSpelling, oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { modulePathProblem } from './module-paths.ts';

/** Modules whose paths differ in case are different modules. */
export const spelling: NameSpelling = {
  normalize: oneSpelling,
  isName: (path) => modulePathProblem(path) === undefined,
};
