import { ApiError } from '../../shared/errors.ts';
import type { FormBody } from '../../shared/http/payloads.ts';
import { type ReceivedFile, receiveFile } from '../../shared/store/received-file.ts';
import type { Table } from '../../shared/table/client.ts';

/** Receives the files of a form, by the names of their fields, each once. Throws PACKAGE_INVALID if `required` is missing. */
export const receiveFormFiles = async (
  body: FormBody,
  { signal }: Pick<Table, 'signal'>,
  required: string,
): Promise<{ readonly required: ReceivedFile; readonly find: (field: string) => ReceivedFile | undefined }> => {
  const { files } = await body.read(async ({ field, stream }) => ({
    field,
    received: await receiveFile(stream, signal),
  }));
  const byField = new Map(files.map(({ field, received }) => [field, received]));
  if (byField.size < files.length) throw new ApiError('PACKAGE_INVALID', 'Send each file of the form once.');
  const found = byField.get(required);
  if (!found) throw new ApiError('PACKAGE_INVALID', `Send the file in the field '${required}' of the form.`);
  return { required: found, find: (field) => byField.get(field) };
};
