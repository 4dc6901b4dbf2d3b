import { bugsIn, type Mutant } from './mutant.ts';

const readmes = '~functions/console/markdown';

/** Bugs in the console: what no browser is needed for to see. */
export const consoleMutants: readonly Mutant[] = [
  ...bugsIn('functions/console/app/markdown.ts', readmes, {
    'a README leads to a script': ['/^(?:https?:\\/\\/|mailto:)/i.test(url) && URL.canParse(url)', 'URL.canParse(url)'],
    'a README of any length is parsed': ['if (text.length > parsedLengthMax)', 'if (text.length < 0)'],
    'an image of a README is loaded': ["linkTo(node.url, words.image(node.alt ?? ''))", "el('img', { src: node.url })"],
  }),
  ...bugsIn('functions/console/get-console-script.ts', 'functions/console/get-console-script', {
    'a browser keeps this script under the name of another': ['params.script !== name', 'params.script === undefined'],
  }),
  ...bugsIn('infra/api/console-page.ts', 'functions/console/get-console-page', {
    'a text can become HTML': ['    "require-trusted-types-for \'script\'",\n', ''],
    'the console may ask any host': ["connect-src 'self'", 'connect-src *'],
  }),
];
