import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { downloadKeyVariable, publicUrlVariable, variable } from '../config.ts';
import { downloadsPath } from '../edge.ts';
import { callService } from '../service-calls.ts';
import { storeAddress } from '../store/address.ts';

/** CloudFront looks at the time when a download begins. A client follows a redirect at once. */
const lifetimeSeconds = 60;

const secretMilliseconds = 3_000;

/** The private key, PEM, as the secret holds it. Throws SERVICE_UNAVAILABLE if Secrets Manager does not answer. */
const readKey = async (secretArn: string): Promise<KeyObject> => {
  const call = {
    service: 'secretsmanager',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: secretArn }),
    expected: 200,
    silenceMilliseconds: secretMilliseconds,
  } as const;
  const text = await callService(call, AbortSignal.timeout(secretMilliseconds));
  return createPrivateKey((JSON.parse(text) as { readonly SecretString: string }).SecretString);
};

const keys = new Map<string, Promise<KeyObject>>();

/** The key of a secret, which a process reads once: another key is another configuration. */
const keyOf = async (secretArn: string): Promise<KeyObject> => {
  const reading = keys.get(secretArn) ?? readKey(secretArn);
  keys.set(secretArn, reading);
  try {
    return await reading;
  } catch (error) {
    keys.delete(secretArn);
    throw error;
  }
};

/** Base64 with the three characters that CloudFront takes in place of those which URLs reserve. */
const base64Of = (bytes: Buffer): string =>
  bytes.toString('base64').replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~');

/** The name of a file as the last part of an address, from which some clients take it: without what clients spell in several ways. */
const lastPartOf = (fileName: string): string => fileName.replaceAll(/[^\w.~+-]/g, '_');

/**
 * The address of a blob at CloudFront, which works for a minute and for everybody who has it; undefined if there is no CloudFront, or if
 * the object is no blob. CloudFront keeps the blob whatever its name. The policy is a canned one.
 * docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-creating-signed-url-canned-policy.html
 */
export const edgeAddressOf = async (objectKey: string, fileName: string): Promise<string | undefined> => {
  const [keyId, secretArn] = variable(downloadKeyVariable)?.split(' ') ?? [];
  const [, workspaceId, object] = /^blobs\/([^/]+)\/sha256\/([^/]+)$/.exec(objectKey) ?? [];
  if (keyId === undefined || secretArn === undefined || object === undefined) return undefined;
  const url = `${variable(publicUrlVariable)}${downloadsPath}${workspaceId}/${object}/${lastPartOf(fileName)}`;
  const expires = Math.floor(Date.now() / 1_000) + lifetimeSeconds;
  const condition = { DateLessThan: { 'AWS:EpochTime': expires } };
  const policy = JSON.stringify({ Statement: [{ Resource: url, Condition: condition }] });
  const signature = base64Of(sign('sha256', Buffer.from(policy), await keyOf(secretArn)));
  return `${url}?Expires=${expires}&Signature=${signature}&Key-Pair-Id=${keyId}&Hash-Algorithm=SHA256`;
};

/** An answer of the API, which redirects to a blob in the bucket, with the blob's address at CloudFront. */
export const atEdge = async (answer: APIGatewayProxyStructuredResultV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const { location } = answer.headers ?? {};
  const store = storeAddress().href;
  if (typeof location !== 'string' || !location.startsWith(store)) return answer;
  const { pathname, searchParams } = new URL(location);
  const disposition = searchParams.get('response-content-disposition') ?? '';
  const name = disposition.slice(disposition.lastIndexOf("''") + 2);
  const address = await edgeAddressOf(pathname.slice(storeAddress().pathname.length), decodeURIComponent(name));
  return address === undefined ? answer : { ...answer, headers: { ...answer.headers, location: address } };
};
