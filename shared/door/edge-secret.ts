import { hash, timingSafeEqual } from 'node:crypto';
import { doorSettings } from '../door-settings.ts';
import { unavailable } from '../errors.ts';
import { readSecret } from '../secrets.ts';

const rereadMilliseconds = 60_000;

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

let read: { readonly at: number; readonly digests: Promise<readonly Buffer[]> } | undefined;

const digestsIn = async (arn: string): Promise<readonly Buffer[]> =>
  Object.values(JSON.parse(await readSecret(arn)) as Record<string, string>).map(digest);

/** Whether a request comes from the proxy that may call the door. The secret is read again for a value that it did not have. */
export const isFromEdge = async (value: string | undefined): Promise<boolean> => {
  const arn = doorSettings.edgeSecretArn;
  if (arn === undefined) return true;
  if (value === undefined) return false;
  const sent = digest(value);
  const isIn = async (): Promise<boolean> => {
    read ??= { at: Date.now(), digests: digestsIn(arn) };
    try {
      return (await read.digests).map((each) => timingSafeEqual(each, sent)).includes(true);
    } catch (error) {
      read = undefined;
      throw unavailable(error);
    }
  };
  if (await isIn()) return true;
  if (read && Date.now() - read.at < rereadMilliseconds) return false;
  read = undefined;
  return isIn();
};
