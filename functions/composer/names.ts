import { isForbiddenSegment } from '../../shared/packages/sources/path-segments.ts';

/** The maximum length of a name: it is in keys, paths and the names of files. */
const lengthMax = 200;

/** Composer asks for names in lower case, whatever the case in composer.json. */
export const packageNameOf = (text: string): string => text.toLowerCase();

/** Whether a package can have this name. Upstreams have names that a new package may not have any more. */
export const isPackageName = (name: string): boolean => {
  const parts = name.split('/');
  return (
    parts.length === 2 &&
    name.length <= lengthMax &&
    parts.every((part) => /^[a-z0-9_.-]+$/.test(part) && !isForbiddenSegment(part))
  );
};

/** What Composer accepts for a new package: the same as `^[a-z0-9]([_.-]?[a-z0-9]+)*…`, without two ways to match a text. */
const newName = /^[a-z0-9](?:[_.-]?[a-z0-9])*\/[a-z0-9](?:(?:[_.]|--?)?[a-z0-9])*$/;

/** The rules for the name of a new package that a name breaks, as sentences. */
export const newNameProblems = (name: string): readonly string[] => [
  ...(newName.test(name)
    ? []
    : [
        'The name in composer.json must be a vendor and a project in lower case, such as acme/app; dots, hyphens and underscores stand between letters or digits.',
      ]),
  ...(name.length > lengthMax ? [`The name in composer.json must have at most ${lengthMax} characters.`] : []),
];

/** The vendor in a name. */
export const vendorOf = (name: string): string => name.slice(0, name.indexOf('/'));
