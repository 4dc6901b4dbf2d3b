import { bugsIn, type Mutant } from './mutant.ts';

export const auditMutants: readonly Mutant[] = [
  ...bugsIn('functions/npm/audits.ts', 'functions/npm/check-npm-packages', {
    'an audit tells the name of the project': ["without(body, 'name', 'version')", 'body'],
    'an audit tells what own packages require': ['requires: only(requires, isTold)', 'requires'],
    'an audit tells own packages that are nested': [
      'isObject(each) ? treeAbout(each, isTold, depth + 1) : each',
      'each',
    ],
  }),
  ...bugsIn('functions/npm/check-npm-packages.ts', 'functions/npm/check-npm-packages', {
    'an audit tells all names': ['about((name) => told.has(name))', 'about(() => true)'],
    'an upstream is asked about nothing': ['source && told.size > 0', 'source'],
    'an audit takes as long as its upstream likes': ['signal: AbortSignal.timeout(answerMilliseconds),', ''],
    'an audit may be about any number of packages': ['names.length > namesMax', 'false'],
  }),
  ...bugsIn('functions/npm/signatures.ts', 'functions/npm/signatures', {
    'the attestations of a held version are served': ['address ? await passGate', 'address === null ? await passGate'],
    'an upstream is asked for attestations of own packages': [
      'answeringSources(sources, path.name, read).filter(isRemote)',
      'sources.all.filter(isRemote)',
    ],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', 'functions/npm/check-npm-packages', {
    'a body follows a redirect': ['redirects === redirectsMax || ask.sent', 'redirects === redirectsMax'],
  }),
  ...bugsIn('shared/http/requests/bytes.ts', 'functions/npm/check-npm-packages', {
    'a compressed body has any size': ['maxOutputLength: bytesMax', 'maxOutputLength: 2 ** 30'],
  }),
];
