import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { refusing, serving } from '../harness/upstream.ts';
import {
  around,
  chained,
  dripping,
  endlessBody,
  endlessHeaders,
  head,
  resetAfterHeaders,
  resettingRequest,
  sendingBytes,
  shorter,
  slowHeaders,
} from './answers.ts';
import { content, type Part, type Type } from './kinds.ts';

/** What a client is answered: a refusal with a sentence after the host, 404, or a text with 200. */
export type Outcome =
  | { readonly refusal: 'UPSTREAM_FAILED' | 'UPSTREAM_TIMEOUT'; readonly sentence: string | RegExp }
  | { readonly served: string }
  | 'absent';

/** A way in which an upstream misbehaves. */
export interface Way {
  /** What of the upstream misbehaves; the rest answers well. */
  readonly part: Part;
  readonly answer: RequestListener;
  /** What it does to every connection, in place of any answer. */
  readonly meet?: (socket: Socket) => void;
  readonly outcome: Outcome;
  /** The types whose upstreams can do it; by default all. */
  readonly types?: readonly Type[];
  /** The outcome for types that know less, or more, of what is right. */
  readonly outcomes?: Partial<Record<Type, Outcome>>;
  /** For how many seconds the upstream is left alone, unless the test lets it be asked again. */
  readonly pauseSeconds?: number;
}

const failed = (sentence: string | RegExp): Outcome => ({ refusal: 'UPSTREAM_FAILED', sentence });
const late = (sentence: string): Outcome => ({ refusal: 'UPSTREAM_TIMEOUT', sentence });
const ofFile = (answer: RequestListener, outcome: Outcome, others: Partial<Way> = {}): Way => ({
  part: 'file',
  answer,
  outcome,
  ...others,
});
/** Universal repositories have no index: they serve what is sent in place of the file, or this way is none of theirs. */
const ofIndex = (answer: RequestListener, outcome: Outcome, served?: string): Way => ({
  part: 'index',
  answer,
  outcome,
  ...(served === undefined ? { types: indexed } : { outcomes: { universal: { served } } }),
});

const indexed = ['npm', 'pypi', 'maven'] as const;

const silent: RequestListener = () => undefined;
/** What certainly was not answered may be answered soon. */
const unreachable = late('could not be reached: ECONNRESET');
const slow = 'sent less than 16384 bytes in 2.25 seconds (HTTP 200)';
const unusable = (status: number): Outcome => failed(`gave no usable answer (HTTP ${status})`);
const noHttp = (code: string): Outcome => failed(`sent no valid HTTP: ${code}`);
const tooManyRedirects = failed('redirects after 5 redirects (HTTP 302)');
const inside = failed('leads to an address that is not a public host (HTTP 302)');
const noScheme = failed('leads to an address that is not http or https (HTTP 302)');
const noDocument = failed('sent a document that is not valid for this package type (HTTP 200)');
const tooLarge = failed('sent metadata of more than 67108864 bytes (HTTP 200)');
const leadingTo = (location: string): RequestListener => refusing(302, { Location: location });

const portal =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>';
const asHtml = { 'Content-Type': 'text/html' };
const otherFile = {
  npm: failed('sent a file whose sha512 is not the promised one (HTTP 200)'),
  pypi: failed('sent a file whose sha256 is not the promised one (HTTP 200)'),
  maven: failed('sent a file whose sha1 is not the promised one (HTTP 200)'),
};
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
const asGzip = { 'Content-Encoding': 'gzip' };
const cutPage = '{"name":"tool","versions":{"1.0.0":{"name":"tool"';

const connections: Readonly<Record<string, Way>> = {
  'resets each connection': ofFile(silent, unreachable, {
    meet: (socket) => void socket.resetAndDestroy(),
  }),
  'hangs up': ofFile((request) => void request.destroy(), unreachable),
  'resets the connection of a request': ofFile(resettingRequest, unreachable),
  'is silent': ofFile(silent, late('sent no answer within 1.5 seconds')),
  'sends its headers slowly': ofFile(slowHeaders, late('sent no answer within 1.5 seconds')),
  'sends headers without end': ofFile(endlessHeaders, failed('sent too many headers')),
  'resets the connection after its headers': ofFile(
    resetAfterHeaders,
    failed('broke its answer off: ECONNRESET (HTTP 200)'),
  ),
  'sends less than it says': ofFile(shorter, failed('broke its answer off: ECONNRESET (HTTP 200)')),
  'sends more than it says': ofFile(
    sendingBytes(head('Content-Length: 3', 'Connection: close'), content),
    failed('sent no valid HTTP: HPE_CLOSED_CONNECTION (HTTP 200)'),
  ),
  'sends a byte now and then': ofFile(dripping, late(slow)),
};

const forms: Readonly<Record<string, Way>> = {
  'sends a length that is no number': ofFile(
    sendingBytes(head('Content-Length: all'), content),
    noHttp('HPE_INVALID_CONTENT_LENGTH'),
  ),
  'sends two lengths': ofFile(
    sendingBytes(head('Content-Length: 8', 'Content-Length: 3'), content),
    noHttp('HPE_UNEXPECTED_CONTENT_LENGTH'),
  ),
  'sends a length and chunks': ofFile(
    sendingBytes(head('Content-Length: 8', 'Transfer-Encoding: chunked'), `8\r\n${content}\r\n0\r\n\r\n`),
    noHttp('HPE_INVALID_TRANSFER_ENCODING'),
  ),
  'sends chunks that are none': ofFile(
    sendingBytes(head('Transfer-Encoding: chunked'), `many\r\n${content}`),
    failed('sent no valid HTTP: HPE_INVALID_CHUNK_SIZE (HTTP 200)'),
  ),
  'announces far more than it sends': ofFile((_, response) => {
    response.writeHead(200, { 'Content-Length': String(4 * 1024 ** 3) }).flushHeaders();
  }, late(slow)),
  'speaks HTTP/0.9': ofFile(sendingBytes(`<p>${content}</p>`), noHttp('HPE_INVALID_CONSTANT')),
  'speaks another protocol': ofFile(sendingBytes('SSH-2.0-OpenSSH_9.6\r\n'), noHttp('HPE_INVALID_CONSTANT')),
  'speaks HTTP/1.0': ofFile(sendingBytes('HTTP/1.0 200 OK\r\n\r\n', content), { served: content }),
  'switches to another protocol': ofFile(
    sendingBytes('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', content),
    failed('switched to another protocol (HTTP 101)'),
  ),
  'sends an empty file': ofFile(serving(''), { served: '' }, { outcomes: otherFile }),
  'sends another file': ofFile(serving('another file'), { served: 'another file' }, { outcomes: otherFile }),
};

/** The repositories of the tests have no credentials. */
const statuses: Readonly<Record<string, Way>> = {
  'redirects a hundred times': ofFile(chained, tooManyRedirects),
  'redirects to itself': ofFile(around, tooManyRedirects),
  'redirects to the credentials of the machine': ofFile(leadingTo('http://169.254.169.254/latest/meta-data/'), inside),
  'redirects to a file of the machine': ofFile(leadingTo('file:///etc/passwd'), noScheme),
  'redirects to another scheme': ofFile(leadingTo('ftp://files.example/tool'), noScheme),
  'redirects to nowhere': ofFile(refusing(302), unusable(302)),
  'answers 401': ofFile(refusing(401), failed('demands credentials, and this repository has none (HTTP 401)')),
  'answers 403': ofFile(
    refusing(403),
    failed('forbids this, and this repository has no credentials for it (HTTP 403)'),
  ),
  'answers 404': ofFile(refusing(404), 'absent'),
  'answers 410': ofFile(refusing(410), 'absent'),
  'answers 418': ofFile(refusing(418), unusable(418)),
  'answers 429 with a Retry-After': ofFile(refusing(429, { 'Retry-After': '120' }), unusable(429), {
    pauseSeconds: 120,
  }),
  'answers 429 without a Retry-After': ofFile(refusing(429), unusable(429), { pauseSeconds: 30 }),
  'answers 500': ofFile(refusing(500), unusable(500)),
  'answers 503': ofFile(refusing(503, { 'Retry-After': '120' }), unusable(503)),
  'answers 204': ofFile(refusing(204), unusable(204)),
  'answers 206 though nobody asks for a part': ofFile(
    (_, response) => void response.writeHead(206, { 'Content-Range': 'bytes 0-3/8' }).end('the '),
    unusable(206),
  ),
  'answers 304 though nobody has a copy': ofFile(refusing(304), unusable(304)),
};

const indexes: Readonly<Record<string, Way>> = {
  'is silent about its index': ofIndex(silent, late('sent no answer within 1.5 seconds')),
  'sends its index byte by byte': ofIndex(dripping, late(slow)),
  'sends a part of its index': ofIndex(shorter, failed('broke its answer off: ECONNRESET (HTTP 200)')),
  'sends an index that was cut before': ofIndex(serving(cutPage), noDocument, cutPage),
  'sends an index that does not inflate': ofIndex(
    serving('no gzip', asGzip),
    failed('sent metadata that cannot be inflated (HTTP 200)'),
    'no gzip',
  ),
  'sends a bomb as its index': ofIndex(
    serving(bomb, asGzip),
    failed('sent metadata that inflates more than 200 times (HTTP 200)'),
    bomb.toString(),
  ),
  'announces an index that is too large': ofIndex((_, response) => {
    response.writeHead(200, { 'Content-Length': String(65 * 1024 * 1024) }).flushHeaders();
  }, tooLarge),
  // On a busy machine, the worker takes it over.
  'sends an index without end': ofIndex(
    endlessBody,
    failed(/^sent (?:metadata of )?more than 67108864 bytes \(HTTP 200\)\.$/),
  ),
  'sends the page of a portal': ofIndex(serving(portal, asHtml), noDocument, portal),
  'redirects from its index to the credentials of the machine': ofIndex(
    leadingTo('http://169.254.169.254/latest/meta-data/'),
    inside,
  ),
};

/** All ways, by what the upstream does. */
export const ways = { ...connections, ...forms, ...statuses, ...indexes };
