import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what virtual repositories take out of signed lists of upstreams, of which clients must read the same names. */
export const foreignNameMutants: readonly Mutant[] = [
  ...bugsIn('functions/debian/paragraphs.ts', 'functions/debian/get-debian-document-from-upstream#could take for', {
    'a field of an upstream may be there twice': ['if (fields.has(name.toLowerCase()))', 'if (false)'],
    'a field of an upstream may be there in another case': [
      'if (fields.has(name.toLowerCase()))',
      'if (fields.has(name))',
    ],
    'a line of blanks goes on with a paragraph': ['list.split(/\\n[ \\t\\r]*\\n/)', 'list.split(/\\n{2,}/)'],
    'a paragraph of an upstream has any character': [' && !read.some(({ lines }) => unclear.test(lines))', ''],
    'a paragraph of an upstream is of any length': [
      "text.length > listedLengthMax ? '' : fieldsOrProblem(text)",
      'fieldsOrProblem(text)',
    ],
  }),
  ...bugsIn('functions/rpm/upstream-entries.ts', 'functions/rpm/get-rpm-document-from-upstream#clients could take', {
    'an upstream may have a package in a package': [" && localName(each.name) !== 'package'", ''],
    'names in a package of an upstream have any letters': ['hasPlainNames(each) && ', ''],
    'names of attributes of a package have any letters': ['isClear && hasPlainNames(root)', 'isClear'],
    'instructions to programs stand in a package': ["text.includes('<?') ? undefined : ", ''],
    'an upstream may give a package two names': ['found.length > ofEachPackage.length || ', ''],
    'the name of a package may be deep in it': ['elementsIn(each)]', '[]]'],
    'a prefix makes a name of an upstream no other one': [
      'ofEachPackage.includes(localName(each.name))',
      'ofEachPackage.includes(each.name)',
    ],
    'the name of a package may be made of entities': ['text.includes(`<name>${name.text}</name>`) && ', ''],
    'a comment says which package a text is': [' && checksum.text.toLowerCase() === pkgid', ''],
    'a package of an upstream may be elsewhere': ['plainHref(href) === undefined || ', ''],
    'a package of an upstream may have a base': [' || Object.keys(others).length > 0', ''],
    'a text of another list may be about another package': ['named === name && ', ''],
  }),
];
