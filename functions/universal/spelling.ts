import { type NameSpelling, oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isPackageName } from './path.ts';

/** The name of a package is a path. */
export const spelling: NameSpelling = { normalize: oneSpelling, isName: isPackageName };
