import type { NameSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isCrateName, packageNameOf } from './names.ts';

/** Crates are compared without regard to case, and `_` is `-`. */
export const spelling: NameSpelling = { normalize: packageNameOf, isName: isCrateName };
