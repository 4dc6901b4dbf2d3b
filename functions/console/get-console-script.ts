import { gunzipSync } from 'node:zlib';
import { ApiError } from '../../shared/errors.ts';
import { builtFile } from '../../shared/http/built-file.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { scriptName } from '../../shared/http/script-name.ts';
import { getConsoleScript } from './contracts.ts';

let name: string | undefined;

/** A page of another release names another script: it must not keep this one under that name. */
export const handler = endpoint(getConsoleScript, async ({ params }) => {
  name ??= scriptName(gunzipSync(builtFile()));
  if (params.script !== name) throw new ApiError('FILE_NOT_FOUND', 'The console has changed. Reload the page.');
  return builtFile();
});
