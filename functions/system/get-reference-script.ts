import { builtFile } from '../../shared/http/built-file.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getReferenceScript } from './contracts.ts';

export const handler = endpoint(getReferenceScript, async () => builtFile());
