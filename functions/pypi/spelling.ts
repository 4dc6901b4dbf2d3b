import type { NameSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isProjectName, normalName } from './names.ts';

/** Projects are compared in the form of PEP 503. */
export const spelling: NameSpelling = { normalize: normalName, isName: isProjectName };
