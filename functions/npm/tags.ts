import validRange from 'semver/ranges/valid.js';
import type { TagRule } from '../../shared/packages/changes/publication.ts';

/** Whether a dist-tag may have this name. npm treats every text that could be a range of versions as a range. */
export const isTag = (text: string): boolean =>
  /^[\w.!~*'()-]{1,214}$/.test(text) && !/^(?:\.{1,2}|__proto__)$/.test(text) && validRange(text, true) === null;

/** The first version of a package is its `latest`, too, whatever its tags. */
export const firstIsLatest: TagRule = ({ tags = [] }, head) => ({
  tags: head?.versionCount || tags.includes('latest') ? tags : [...tags, 'latest'],
});
