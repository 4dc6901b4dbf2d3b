import { builtFile } from '../../shared/http/built-file.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getReferencePage } from './contracts.ts';

export const handler = endpoint(getReferencePage, async () => builtFile());
