import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs that make a browser a weapon against the people who use it. */
export const browserMutants: readonly Mutant[] = [
  ...bugsIn('shared/http/problem.ts', ['shared/http/response', 'rights/other-sites#runs nothing'], {
    'a document of a package runs as a page of the service': ['; sandbox;', ';'],
    'answers say nothing to browsers': ["  'Content-Security-Policy': contentPolicy,\n", ''],
    'clients of registries are sent to a realm that is no URL': [
      'charset="UTF-8"\';',
      'charset="UTF-8", Bearer realm="stockroom"\';',
      'functions/docker/get-registry',
    ],
  }),
  ...bugsIn('shared/http/answers/bytes.ts', 'shared/http/answers/bytes', {
    'browsers show what packages hold': ["{ 'Content-Disposition': 'attachment' }", '{}'],
    'browsers show drawings and pages': ["mediaType.startsWith('text/html')", "mediaType.includes('ml')"],
    'browsers save the pages with links': ["mediaType.startsWith('text/html')", 'false'],
  }),
  ...bugsIn('shared/http/cross-site.ts', 'shared/http/cross-site', {
    'other hosts of the domain may change something': [
      "new Set(['cross-site', 'same-site'])",
      "new Set(['cross-site'])",
    ],
    'every origin is our own': ['origin !== URL.parse(baseUrl)?.origin', 'false'],
    'a page without an origin is our own': [
      'origin !== undefined && origin',
      "(origin ?? 'null') !== 'null' && origin",
    ],
    'the path of the service is part of its origin': ['URL.parse(baseUrl)?.origin', 'baseUrl'],
    'no page may read': ['if (readingMethods.has(method) && !changesByGet) return;', ''],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'rights/other-sites#cannot call', {
    'other sites may call every endpoint': [
      '  refuseCrossSite({ method: httpMethod, changesByGet: contract.changesByGet, header, baseUrl });\n',
      '',
    ],
  }),
  ...bugsIn('functions/conan/contracts.ts', 'rights/other-sites', {
    'other sites may log in with Conan': ['  changesByGet: true,\n', ''],
  }),
  ...bugsIn('shared/door/server.ts', 'door/door#refused with', {
    'other sites may send large bodies': ['refuseCrossSite({ method, header', '({ method, header'],
  }),
  ...bugsIn('shared/door/headers.ts', 'door/door#page of the service', {
    'the reference page may send no large body': ['`http://${headers.host', '`https://${headers.host'],
  }),
  ...bugsIn('shared/packages/formats/xml.ts', 'functions/maven/get-maven-file-from-upstream#browser could run', {
    'elements of other namespaces are passed on': ['.filter(({ name }) => nameOf(name) !== undefined)', ''],
    'attributes of other namespaces are passed on': [
      'if (known !== undefined) attributes[known] = value;',
      'attributes[known ?? key] = value;',
    ],
    'namespaces are passed on': ["name === 'xmlns' || ", ''],
  }),
];
