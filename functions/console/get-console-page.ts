import { builtFile } from '../../shared/http/built-file.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getConsolePage } from './contracts.ts';

export const handler = endpoint(getConsolePage, async () => builtFile());
