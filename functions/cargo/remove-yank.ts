import { endpoint } from '../../shared/http/endpoint.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { removeYank } from './contracts.ts';
import { setYanked } from './yank.ts';

export const handler = endpoint(removeYank, async (call) => setYanked(call, false), { alsoRead: alsoReadSources });
