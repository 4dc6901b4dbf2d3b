import { endpoints } from '../../functions/endpoints.ts';
import { credentialHeader, viewerHeader } from '../../shared/edge.ts';
import { askHeader, lengthHeader, referenceHeader } from '../../shared/http/door-headers.ts';
import { authenticateChallenge, problemMediaType, refusalBody, responseHeaders } from '../../shared/http/problem.ts';
import { readPatterns } from './read-paths.ts';

/** The names of what CloudFront can ask. */
export const originIds = { api: 'api', door: 'door', packages: 'packages', blobs: 'blobs' } as const;

/** Bodies up to this go to API Gateway: as base64 in an event, with the headers, they are below the 6 MB that Lambda takes. */
const gatewayBytesMax = 4_000_000;

/** What only the door and CloudFront may say: a request goes on without it. */
const ownHeaders = JSON.stringify([askHeader, lengthHeader, referenceHeader, credentialHeader]);

/** The first segments of the paths that require a credential. */
const guarded = [
  ...new Set(endpoints.filter(({ access }) => access !== 'public').map(({ path }) => path.split('/')[1])),
].join('|');

const idSlot = '{requestId}';

const signInRefusal = JSON.stringify(
  refusalBody(
    'UNAUTHENTICATED',
    idSlot,
    'A browser cannot sign in at this address. Open /docs to read and try the endpoints, or send a personal access token with a package manager or with curl.',
  ),
);

/** The refusal of whoever has no credential, as API Gateway gives it. */
const challenge = JSON.stringify(refusalBody('UNAUTHENTICATED', idSlot));

const refusalHeaders = JSON.stringify(
  Object.fromEntries(
    Object.entries({ ...responseHeaders, 'Content-Type': problemMediaType }).map(([name, value]) => [
      name.toLowerCase(),
      { value },
    ]),
  ),
);

/**
 * What the function has more where the front for reads is an origin. A read without a credential gets the challenge that clients wait
 * for: the answer of a function behind a URL would lose it. The credential of others goes on in a header of its own, because CloudFront
 * signs its call of the front in `Authorization`. A path with a wrong escape is for the API to refuse.
 */
const readsCode = `
function readPath(uri) {
  try {
    var segments = uri.replace(/([^/])\\/$/, '$1').split('/');
    return segments.map(decodeURIComponent).map(encodeURIComponent).join('/');
  } catch (error) {
    return '';
  }
}

var reads = { GET: /${readPatterns.GET}/, HEAD: /${readPatterns.HEAD}/ };

function answerRead(request, id) {
  var path = readPath(request.uri);
  var ofMethod = reads[request.method];
  var isRead = ofMethod !== undefined && ofMethod.test(path);
  var isProof = ofMethod !== undefined && /${readPatterns.proof}/.test(path);
  if ((isRead || isProof) && !valueOf(request, 'authorization'))
    return refuse(id, ${JSON.stringify(challenge)}, ${JSON.stringify(authenticateChallenge)});
  if (!isRead) return undefined;
  var sent = request.headers.authorization;
  var values = sent.multiValue ? sent.multiValue.map(function (each) { return each.value; }) : [sent.value];
  request.headers['${credentialHeader}'] = { value: values.join(',') };
  delete request.headers.authorization;
  cf.selectRequestOriginById('${originIds.packages}');
  return request;
}
`;

/**
 * What CloudFront runs for each request: it names the client, takes out what only the door may say, and sends a body that is large or of unknown length to the door.
 * Functions see the length of a body, but may not change it. A request without a body, or with one of unknown length, has none, and
 * the door passes it on.
 * docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/helper-functions-origin-modification.html
 *
 * It refuses a navigation without a credential itself, so that no dialog asks for a password: the browser would send that with every
 * later request, also with those of other sites. A function that sees answers is not called for a 401. API Gateway finds a route also
 * where letters of its path are percent-encoded, so the path is decoded first. The first segments of routes are ASCII.
 */
export const edgeFunctionCode = ({ hasFront }: { readonly hasFront: boolean }): string => `import cf from 'cloudfront';

function valueOf(request, name) {
  return request.headers[name] && request.headers[name].value;
}

function decodedPath(uri) {
  var decoded = uri.replace(/%[0-7][0-9a-f]/gi, function (escape) {
    return String.fromCharCode(parseInt(escape.slice(1), 16));
  });
  return decoded.replace(/^\\/+/, '/');
}

function refuse(id, text, challenge) {
  var headers = ${refusalHeaders};
  headers['x-request-id'] = { value: id };
  if (challenge) headers['www-authenticate'] = { value: challenge };
  var data = text.replace('${idSlot}', id);
  return { statusCode: 401, statusDescription: 'Unauthorized', headers, body: { encoding: 'text', data } };
}
${hasFront ? readsCode : ''}
function handler(event) {
  var request = event.request;
  var isNavigation = /^(document|i?frame|embed|object)$/.test(valueOf(request, 'sec-fetch-dest'));
  var isGuarded = /^\\/(${guarded})(\\/|$)/.test(decodedPath(request.uri));
  if (isNavigation && isGuarded && !valueOf(request, 'authorization'))
    return refuse(event.context.requestId, ${JSON.stringify(signInRefusal)});
  ${ownHeaders}.forEach(function (name) {
    delete request.headers[name];
  });
  request.headers['${viewerHeader}'] = { value: event.viewer.ip };
${hasFront ? '  var read = answerRead(request, event.context.requestId);\n  if (read) return read;\n' : ''}  var length = valueOf(request, 'content-length');
  var isSmall = length !== undefined && /^[0-9]{1,7}$/.test(length) && Number(length) <= ${gatewayBytesMax};
  if (['POST', 'PUT', 'PATCH'].includes(request.method) && !isSmall) cf.selectRequestOriginById('${originIds.door}');
  return request;
}
`;
