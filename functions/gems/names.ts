import { isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';

/** The maximum length of a name: it is in keys, paths and the names of files. */
const lengthMax = 150;

/** Whether a gem can have this name: `Gem::Specification::VALID_NAME_PATTERN`. */
export const isGemName = (name: string): boolean =>
  /^[A-Za-z0-9._-]+$/.test(name) && name.length <= lengthMax && !isForbiddenSegment(name);

/** The name of the package that a gem is: one for all spellings that rubygems.org takes for twins, in case and in `-` and `_`. */
export const packageNameOf = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** The rules for the name of a new gem that a name breaks (Gem::SpecificationPolicy#validate_name), as sentences. */
export const newNameProblems = (name: string): readonly string[] => [
  ...(isGemName(name)
    ? []
    : [
        `The name of a gem must consist of letters, digits, '-', '_' and '.', and have at most ${lengthMax} characters.`,
      ]),
  ...(/[A-Za-z]/.test(name) ? [] : ['The name of a gem must have at least one letter.']),
  ...(/^[._-]/.test(name) ? ["The name of a gem must not begin with '.', '_' or '-'."] : []),
];
