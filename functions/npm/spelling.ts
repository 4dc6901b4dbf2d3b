import type { NameSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isPackageName } from './names.ts';

/** Only old names at an upstream have capitals, and a rule in lower case blocks them, too. */
export const spelling: NameSpelling = {
  normalize: (text) => text.toLowerCase(),
  isName: isPackageName,
  holdsLowerCase: true,
};
