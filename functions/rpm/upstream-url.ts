import type { Violation } from '../../shared/errors.ts';
import { urlViolation } from '../../shared/packages/types/upstream-url.ts';

const isListOfMirrors = (url: string): boolean => /\/(?:metalink|mirrorlist)(?:[/?]|$)|\.xml$|[?&]repo=/i.test(url);

/** A URL that leads to a list of mirrors, and not to a repository. */
export const upstreamViolations = (url: string): readonly Violation[] =>
  isListOfMirrors(url)
    ? [
        urlViolation(
          'repository',
          'The URL must be the base URL of a repository, below which repodata/repomd.xml is: choose one of the mirrors in the list.',
        ),
      ]
    : [];
