import { bugsIn, type Mutant } from './mutant.ts';

const edge = 'front/edge';
const template = '~infra/edge-reads';
const paths = 'infra/edge/reads-at-edge';

/** Bugs of the front for reads behind CloudFront. */
export const edgeMutants: readonly Mutant[] = [
  ...bugsIn('shared/front/edge-events.ts', edge, {
    'the front believes in Authorization, which is CloudFront’s': [
      '{ authorization: _signature, [name]: credential, ...headers }',
      '{ [name]: _credential, authorization: credential, ...headers }',
    ],
    'the front is called by CloudFront alone without that': [
      'variable(credentialHeaderVariable) !== undefined',
      'true',
      'front/to-api',
    ],
    'a header says who calls where nobody overwrites it': [
      'if (name === undefined) return event;',
      '',
      'front/edge-events',
    ],
    'the address of CloudFront is that of the client': [
      'headers[viewerHeader] ?? http.sourceIp',
      'http.sourceIp',
      'front/edge-events',
    ],
    'the signature of CloudFront goes on to the API': [
      "!header.startsWith('x-amz-')",
      "!header.startsWith('x-none-')",
      'front/edge-events',
    ],
  }),
  ...bugsIn('shared/front/edge-addresses.ts', edge, {
    'an address works for an hour': ['lifetimeSeconds = 60', 'lifetimeSeconds = 3_600'],
    'names have what clients spell in several ways': [".replaceAll(/[^\\w.~+-]/g, '_')", ''],
    'addresses are signed by SHA-1': ["sign('sha256'", "sign('sha1'"],
    'signatures have characters that URLs reserve': [".replaceAll('+', '-')", ''],
    'whoever the API answers is sent to the bucket': [
      '!location.startsWith(store)) return answer;',
      'location.startsWith(store)) return answer;',
    ],
    'files are at the host that Lambda knows': ['${variable(publicUrlVariable)}', 'https://lambda.example'],
  }),
  ...bugsIn('shared/front/downloads.ts', edge, {
    'the front sends clients to the bucket': ['(await edgeAddressOf(download.objectKey, download.fileName)) ?? ', ''],
  }),
  ...bugsIn('shared/front/api.ts', 'front/edge-to-api', {
    'the firewall refuses what the front passes on': ['isBehindEdge() && isOfEdge(name)', 'isBehindEdge() && false'],
    'a client proves itself as CloudFront': ['!(isBehindEdge() && isOfEdge(name))', '!isOfEdge(name)', 'front/to-api'],
    'documents have the address of the function': ['...(!isBehindEdge() && { [frontHeader]', '...({ [frontHeader]'],
  }),
  ...bugsIn('infra/edge/edge-function.ts', paths, {
    'a client says its credential in the header of CloudFront': [
      ', referenceHeader, credentialHeader]',
      ', referenceHeader]',
    ],
    'one of several credentials is enough': ["values.join(',')", 'values[0]'],
    'a read without a credential gets no challenge': ["headers['www-authenticate'] = ", 'headers.none = '],
    'reads are for the API': ["  cf.selectRequestOriginById('${originIds.packages}');\n", ''],
    'docker gets no challenge': ['(isRead || isProof)', 'isRead'],
    'docker gets no challenge for HEAD': [
      'var isProof = ofMethod !== undefined &&',
      "var isProof = request.method === 'GET' &&",
    ],
    'an escape that is wrong ends the function': ["    return '';\n", '    throw error;\n'],
    'a slash at the end is a segment': [".replace(/([^/])\\\\/$/, '$1')", ''],
    'encoded letters hide a path': ['.map(decodeURIComponent).map(encodeURIComponent)', ''],
  }),
  ...bugsIn('infra/edge/read-paths.ts', paths, {
    'all that is below a workspace is a read': ["'[^/]+')\n", "'.+')\n"],
    'an empty rest is a file': ["'/*[^/].*'", "'.*'"],
  }),
  ...bugsIn('infra/edge/edge-reads.ts', template, {
    'files need no signature': ['      trustedKeyGroups: [keys.groupId],\n', ''],
    'files are kept for each query': ['CACHING_OPTIMIZED_FOR_UNCOMPRESSED_OBJECTS', 'CACHING_OPTIMIZED'],
    'files take every method': ["allowedMethods: ['GET', 'HEAD']", "allowedMethods: ['GET', 'HEAD', 'OPTIONS']"],
    'CloudFront passes on the credential in place of its own': [
      "signingBehavior: 'always'",
      "signingBehavior: 'no-override'",
    ],
    'every distribution may call the front': ['distribution/${distributionId}', 'distribution/*'],
    'the function may be called past its URL': ['      invokedViaFunctionUrl: true,\n', ''],
    'CloudFront reads what is staged': ["store.arnForObjects('blobs/*')", "store.arnForObjects('*')"],
    'every distribution may read blobs': [
      "        conditions: { StringEquals: { 'AWS:SourceArn': sourceArn } },\n",
      '',
    ],
    'a browser shows files': ["{ header: 'Content-Disposition', value: 'attachment', override: true },", ''],
    'a browser runs files': ['contentTypeOptions: { override: true },', ''],
    'an address leads to any object': ['([^/]+)\\\\/([^/]+)\\\\/[^/]*$/', '(.*)\\\\/(.*)\\\\/[^/]*$/'],
    'the front cannot pass on to the API': ['...(originCustomHeaders && { originCustomHeaders }),', ''],
  }),
  ...bugsIn('infra/edge/download-keys.ts', template, {
    'the front reads every secret': ['resources: [...this.secretArns]', "resources: ['*']"],
    'a second key is not trusted': ['items: ids }', 'items: ids.slice(0, 1) }'],
    'a new key changes the old one': ['`Key${digest}`', "'Key'"],
    'the last key signs': [
      '`${ids[0]} ${this.secretArns[0]}`',
      '`${ids.at(-1)} ${this.secretArns.at(-1)}`',
      'infra/edge-reads',
    ],
  }),
  ...bugsIn('infra/api/packages-front.ts', template, {
    'everybody calls the front of CloudFront': ['keys ? FunctionUrlAuthType.AWS_IAM : ', ''],
    'the front waits for itself': ['keys ? api.baseUrl : baseUrl', 'baseUrl'],
    'the stack tells no header of the credential': ['          [credentialHeaderVariable]: credentialHeader,\n', ''],
  }),
  ...bugsIn('infra/settings.ts', '~infra/front', {
    'reads are at an edge that there is not': ["reads !== 'edge' || (hasEdge(uploads) && ", "reads !== 'edge' || ("],
    'reads at the edge have no key': ['(hasEdge(uploads) && downloadKeys.length > 0)', 'hasEdge(uploads)'],
    'a private key may be a setting': [
      "'^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{86}==$'",
      "'^M[A-Za-z0-9+/=]+$'",
    ],
    'the secret may be any': ['secret:[^\\\\s*?]+-[A-Za-z0-9]{6}$', 'secret:.+$'],
  }),
];
