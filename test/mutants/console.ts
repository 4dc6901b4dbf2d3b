import { bugsIn, type Mutant } from './mutant.ts';

const readmes = '~functions/console/markdown';

/** Bugs in the console: what no browser is needed for to see. */
export const consoleMutants: readonly Mutant[] = [
  ...bugsIn('functions/console/app/markdown.ts', readmes, {
    'a README leads to a script': ['/^(?:https?:\\/\\/|mailto:)/i.test(url) && URL.canParse(url)', 'URL.canParse(url)'],
    'the last of two definitions counts': ['.toReversed()', ''],
    'a definition in a quote is lost': ["'children' in node && depth < depthMax", "'children' in node && depth < 1"],
    'a README as deep as it likes is walked': ["'children' in node && depth < depthMax", "'children' in node"],
    'an image of a README is loaded': [
      "linkTo(node.url, words.image(plainBars(node.alt ?? '')))",
      "el('img', { src: node.url })",
    ],
  }),
  ...bugsIn('functions/console/app/markdown-tables.ts', readmes, {
    'a table needs no line of dashes': ['head.length !== trimmed(lines[at] ?? []).length', 'head.length < 1'],
    'a bar in the text of a cell ends it': ["text.replaceAll('\\\\|', heldBar)", 'text'],
    'the lines above a table are lost': ['return { above, head', 'return { above: [], head'],
  }),
  ...bugsIn('functions/console/app/lines.ts', '~functions/console/lines', {
    'a line to paste has a name that a shell runs': ['name: isPlain(name) ? name', 'name: name ? name'],
    'a line to paste has a version that a shell runs': [
      'version: isPlain(version) ? version',
      'version: version ? version',
    ],
    'the address of a universal file can end its quotes': ['.map(plainPart)', '.map(String)'],
    'an address of the page is in lines as it is': ['plainPart(target.repository)', 'target.repository'],
  }),
  ...bugsIn('functions/console/app/lines.ts', '~functions/console/lines', {
    'an address without TLS passes for one with it': ["root.protocol === 'http:'", 'false'],
  }),
  ...bugsIn('functions/debian/lines.ts', '~functions/console/lines', {
    'everybody can read the token of apt': ['`install -m 600 /dev/null ${conf}`,', ''],
    'a remote repository of Debian has a line for a key that it has not': ['...(isRemote ? [] : [', '...(at ? [] : ['],
    'a directory of an upstream passes for a distribution': [' && !isRemote ?', ' ?'],
    'apt looks where the package is not': ['places.length === 3 &&', 'places.length === 0 &&'],
  }),
  ...bugsIn('functions/rpm/lines.ts', '~functions/console/lines', {
    'everybody can read the token of dnf': ['`chmod 600 /etc/yum.repos.d/${repository}.repo`,', ''],
  }),
  ...bugsIn('functions/maven/lines.ts', '~functions/console/lines', {
    'a dependency of Maven has half a name': ["name.includes(':') ? name.split(':') : ['<group>']", '[name]'],
  }),
  ...bugsIn('functions/console/app/sha256.ts', 'functions/console/sha256', {
    'a hash forgets where a piece ended': ['length += bytes.length;', 'length = bytes.length;'],
    'a last piece that leaves no room for its length is hashed wrongly': ['rest.length < 56', 'rest.length < 57'],
  }),
  ...bugsIn('functions/console/get-console-page.ts', 'functions/console/get-console-page', {
    'the console may not send uploads': ['storeAddress().href', "''"],
  }),
  ...bugsIn('functions/console/get-console-script.ts', 'functions/console/get-console-script', {
    'a browser keeps this script under the name of another': ['params.script !== name', 'params.script === undefined'],
  }),
  ...bugsIn('infra/api/console-page.ts', 'functions/console/get-console-page', {
    'a text can become HTML': ['    "require-trusted-types-for \'script\'",\n', ''],
    'the console may ask any host': ["connect-src 'self'", "connect-src * 'self'"],
  }),
];
