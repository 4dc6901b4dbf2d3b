import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Service } from '../harness/service.ts';

/** A request, as both fronts get it. */
export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer byte for byte, its body in base64. */
export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Sends a request to a front, and names the host of the client: API Gateway is told the one of the other front, to have its base URL. */
export const askAt = async (
  url: string,
  host: string,
  { method = 'GET', path, headers, body }: Asked,
): Promise<Told> => {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const sent = request({ hostname, port, method, path, headers: { host, ...headers } }, (answer) => {
    const { statusCode: status = 0, headers: answered } = answer;
    resolve(buffer(answer).then((bytes) => ({ status, headers: answered, body: bytes.toString('base64') })));
  });
  sent.once('error', reject).end(body);
  return promise;
};

/** The URL of the front for reads, or of CloudFront before it. */
export const frontUrlOf = ({ runner, edge }: Service): string => {
  const url = edge?.url ?? runner.packagesUrl;
  if (!url) throw new Error('This service has no front for reads.');
  return url;
};

export const hostOf = (service: Service): string => new URL(frontUrlOf(service)).host;

/** Asks the front for reads. */
export const askFront = async (service: Service, asked: Asked): Promise<Told> =>
  askAt(frontUrlOf(service), hostOf(service), asked);

/** Asks API Gateway the same, so that the base URL in documents is the same. */
export const askGateway = async (service: Service, asked: Asked): Promise<Told> =>
  askAt(service.runner.apiUrl, hostOf(service), asked);

/** Where a file is, in the bucket or at CloudFront, without the signature. */
const comparableAddress = (address: string): string =>
  address
    .replace(/\?X-Amz-.*|&X-Amz-.*/, '')
    .replace(/^.*\/_?blobs\/([^/]+)\/(?:sha256\/)?([^/?]+)(?:[/?].*)?$/, 'blob $1 $2');

/** What differs with each request: its ID, its time, how long its connection stays, and the signature of where a file is. A function URL sends a challenge under another name. */
const comparable = ({ status, headers, body }: Told): Told => {
  const { date: _date, 'x-request-id': id, 'x-amzn-requestid': _own, 'keep-alive': _time, ...others } = headers;
  const { 'www-authenticate': challenge, 'x-amzn-remapped-www-authenticate': renamed = challenge, ...rest } = others;
  const location = rest.location && comparableAddress(String(rest.location));
  const text = Buffer.from(body, 'base64')
    .toString('latin1')
    .replaceAll(String(id), 'ID')
    .replace(/"time":"[-:.\dTZ]+"/, '"time":""');
  return {
    status,
    headers: { ...rest, ...(location !== undefined && { location }), ...(renamed !== undefined && { renamed }) },
    body: text,
  };
};

/** The members of an item of the table have no order, and neither have those of JSON that shows it. */
const withSortedMembers = ({ body, ...told }: Told): unknown => ({ ...told, body: JSON.parse(body) as unknown });

const isOfItems = ({ path }: Asked, { status }: Told): boolean =>
  status === 200 && ((path.startsWith('/1/') && !path.endsWith('/readme')) || path.includes('/-/v1/search'));

/** Asks both fronts, and expects the same of them, byte for byte but for the ID of the request. */
export const askBoth = async (service: Service, asked: Asked): Promise<Told> => {
  const [expected, told] = [await askGateway(service, asked), await askFront(service, asked)];
  const read = (each: Told) =>
    isOfItems(asked, each) && !asked.headers?.['accept-encoding'] && asked.method !== 'HEAD' && each.body !== ''
      ? withSortedMembers(comparable(each))
      : comparable(each);
  expect([asked, read(told)]).toEqual([asked, read(expected)]);
  return told;
};

/** The operations that the front has passed on so far. */
export const passedOn = ({ logs }: Service): readonly string[] =>
  logs
    .filter((line) => line.includes('"passed on"'))
    .map((line) => (JSON.parse(line) as { readonly operation: string }).operation);
