import type { Violation } from '../../shared/errors.ts';
import { urlParts, urlViolation } from '../../shared/packages/types/upstream-url.ts';

/** What is filled into the URL of an upstream. */
const placeholders = ['{package-name}', '{version}', '{file}'] as const;

/** The placeholders that the path of an upstream's URL lacks, or that another part of it has. */
export const placeholderViolations = (url: string): Violation[] => {
  const { authority = '', path = '', query = '' } = urlParts(url);
  return placeholders.flatMap((placeholder) => {
    if (path.includes(placeholder) && !(authority + query).includes(placeholder)) return [];
    const message = `remoteRepositoryUrl of a universal repository must contain ${placeholder} in its path, and nowhere else.`;
    return [urlViolation('placeholder', message)];
  });
};
