import { type NameSpelling, oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isPackageName } from './paths.ts';

/** A package is a group and an artifact with a colon between them. */
export const spelling: NameSpelling = { normalize: oneSpelling, isName: isPackageName };
