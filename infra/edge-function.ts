import { viewerHeader } from '../shared/edge.ts';

/** The names of what CloudFront can ask. */
export const originIds = { api: 'api', door: 'door' } as const;

/** Bodies up to this go to API Gateway: as base64 in an event, with the headers, they are below the 6 MB that Lambda takes. */
const gatewayBytesMax = 4_000_000;

/**
 * What CloudFront runs for each request: it names the client, and sends a body that is large or of unknown length to the door.
 * Functions see the length of a body, but may not change it. A request without a body, or with one of unknown length, has none, and
 * the door passes it on.
 * docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/helper-functions-origin-modification.html
 */
export const edgeFunctionCode = `import cf from 'cloudfront';

function handler(event) {
  var request = event.request;
  request.headers['${viewerHeader}'] = { value: event.viewer.ip };
  var length = request.headers['content-length'];
  var isSmall = length !== undefined && /^[0-9]{1,7}$/.test(length.value) && Number(length.value) <= ${gatewayBytesMax};
  if (['POST', 'PUT', 'PATCH'].includes(request.method) && !isSmall) cf.selectRequestOriginById('${originIds.door}');
  return request;
}
`;
