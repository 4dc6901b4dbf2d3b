import { buffer } from 'node:stream/consumers';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { addForm } from './contracts.ts';

export const handler = endpoint(addForm, async ({ body }) => {
  const { fields, files } = await body.read(
    async ({ field, fileName, stream }) => `${field}: ${fileName} ${(await buffer(stream)).length}`,
  );
  return { fields: Array.from(fields, ([name, values]) => `${name}=${values.join('+')}`), files: [...files] };
});
