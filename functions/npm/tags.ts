import validRange from 'semver/ranges/valid.js';

/** Whether a dist-tag may have this name. npm treats every text that could be a range of versions as a range. */
export const isTag = (text: string): boolean =>
  /^[\w.!~*'()-]{1,214}$/.test(text) && !/^(?:\.{1,2}|__proto__)$/.test(text) && validRange(text, true) === null;
