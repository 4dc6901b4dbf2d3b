import { builtFile } from '../../shared/http/built-file.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getOpenApiDocument } from './contracts.ts';

export const handler = endpoint(getOpenApiDocument, async () => builtFile());
