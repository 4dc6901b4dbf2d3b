import { bugsIn, type Mutant } from './mutant.ts';

const metadata = '~functions/debian/metadata';
const versions = '~functions/debian/versions';
const names = '~functions/debian/names';

/** Bugs in the package type for Debian. */
export const debianMutants: readonly Mutant[] = [
  ...bugsIn('functions/debian/versions.ts', versions, {
    'a tilde sorts behind the end': ["if (character === '~') return -1;", "if (character === '~') return 1;"],
    'other characters sort before letters': ['code + 256', 'code - 256'],
    'long numbers are compared as texts': ['first.length - second.length || ', ''],
    'zeros in front count': [".replace(/^0+/, '')", ''],
    'an epoch counts nothing of Debian': ['compareNumbers(first.epoch, second.epoch) ||', ''],
    'a revision counts nothing': [' ||\n    compareTexts(first.revision, second.revision)', ''],
    'a revision begins at the first hyphen': ["rest.lastIndexOf('-')", "rest.indexOf('-')"],
  }),
  ...bugsIn('functions/debian/names.ts', names, {
    'a colon needs no epoch': ['/^\\d[A-Za-z0-9.+~-]*$/', '/^\\d[A-Za-z0-9.+~:-]*$/'],
    'a version begins as it likes': ['/^\\d[A-Za-z0-9.+~-]*$/', '/^[A-Za-z0-9.+~-]*$/'],
    'a version is of any length': ['if (version.length > lengthMax) return false;', ''],
    'a file has an epoch in its name': ["version.replace(/^\\d+:/, '')", 'version'],
    'a place is of any length': [
      'text.length <= shortMax && /^[A-Za-z0-9][A-Za-z0-9._+~-]*$/',
      '/^[A-Za-z0-9][A-Za-z0-9._+~-]*$/',
    ],
  }),
  ...bugsIn('functions/debian/archive-members.ts', metadata, {
    'a package may be of another version': ['/^2\\.\\d+\\n/', '/^\\d\\.\\d+\\n/'],
    'members begin anywhere': ['start + size + (size % 2)', 'start + size'],
    'a payload may be cut': ['if (start + size > file.size) throw damaged(`its member ${name} ends too early`);', ''],
    'a payload may be missing': ['if (!/^data\\.tar(?:\\.[a-z0-9]+)?$/.test(data.name))', 'if (false)'],
    'metadata may be of any length': ['if (member.size > controlBytesMax)', 'if (false)'],
    'no member stands between': ["member.name.startsWith('_') && count", 'false && count'],
  }),
  ...bugsIn('functions/debian/control-archive.ts', metadata, {
    'what xz compressed may be of any length': ['if (bytes > inflatedBytesMax)', 'if (false)'],
    'what gzip compressed may be of any length': ['gunzipSync(bytes, limits)', 'gunzipSync(bytes)'],
    'the text may be of any length': ['if (size > controlBytesMax)', 'if (false)'],
    'text in Latin-1 is lost': ["return bytes.toString('latin1');", "return '';"],
  }),
  ...bugsIn('functions/debian/paragraphs.ts', metadata, {
    'a field may be there twice': ['if (fields.has(name.toLowerCase()))', 'if (false)'],
    'another paragraph may follow': [
      'if (name === undefined) throw problem(line);',
      'if (name === undefined) continue;',
    ],
    'a line may have a NUL': ["if (line.includes('\\0')) throw problem(line);", ''],
    'a text may begin in a field': ['if (!current) throw problem(line);', 'if (!current) continue;'],
  }),
  ...bugsIn('functions/debian/metadata.ts', metadata, {
    'a package may have any name': ['if (isBuild(build))', 'if (true)'],
  }),
  ...bugsIn('functions/debian/stanzas.ts', metadata, {
    'a package says where it is itself': ['!ofLists.has(name.toLowerCase())', 'true'],
  }),
];
