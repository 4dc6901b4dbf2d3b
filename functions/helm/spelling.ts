import { type NameSpelling, oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isChartName } from './paths.ts';

/** Charts whose names differ in case are different charts. */
export const spelling: NameSpelling = { normalize: oneSpelling, isName: isChartName };
