import { type NameSpelling, oneSpelling } from '../../shared/packages/sources/name-rules.ts';
import { isImageName } from './paths.ts';

const ofHub = 'library/';

/** At Docker Hub, a name of one part is one of `library/`: a rule that blocks one of them blocks both. */
export const spelling: NameSpelling = {
  normalize: oneSpelling,
  isName: isImageName,
  aliasesOf: (name) => {
    if (!name.includes('/')) return [ofHub + name];
    return name.startsWith(ofHub) ? [name.slice(ofHub.length)] : [];
  },
};
