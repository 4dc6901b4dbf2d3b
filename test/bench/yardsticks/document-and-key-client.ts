import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { handler as read } from './document-client.ts';

let client: KMSClient | undefined;

/** A handler that can read the table and encrypt, and nothing else. */
export const handler = async (keys: Record<string, unknown>[]): Promise<unknown> => {
  client ??= new KMSClient({});
  await client.send(new EncryptCommand({ KeyId: String(process.env.UPSTREAM_KEY_ID), Plaintext: new Uint8Array(1) }));
  return read(keys);
};
