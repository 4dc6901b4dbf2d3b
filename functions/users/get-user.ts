import { endpoint } from '../../shared/http/endpoint.ts';
import { getUser } from './contracts.ts';
import { userRecord } from './record.ts';
import { targetUserKeys, targetUserOf } from './target-user.ts';

export const handler = endpoint(getUser, async (call) => userRecord(targetUserOf(call)), { alsoRead: targetUserKeys });
