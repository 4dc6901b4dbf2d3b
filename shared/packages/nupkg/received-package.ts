import { ApiError } from '../../errors.ts';
import type { FormBody } from '../../http/payloads.ts';
import { type ReceivedFile, receiveFile } from '../../store/received-file.ts';
import type { Table } from '../../table/client.ts';

/** Receives the one file of a push. Clients give it various names, or send it as the whole body. */
export const receivePackage = async (body: FormBody, { signal }: Pick<Table, 'signal'>): Promise<ReceivedFile> => {
  const { files } = await body.read(async ({ stream }) => receiveFile(stream, signal));
  const [file, ...others] = files;
  if (!file || others.length > 0)
    throw new ApiError('BODY_MALFORMED', 'The body must be the package, or a form with the package as its one file.');
  return file;
};
