import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { addYank } from './contracts.ts';
import { setYanked } from './yank.ts';

export const handler = endpoint(addYank, async (call) => setYanked(call, true), { alsoRead: alsoReadSources });
