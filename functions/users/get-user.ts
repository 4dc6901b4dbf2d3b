import { endpoint } from '../../shared/http/endpoint.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { getUser } from './contracts.ts';
import { userRecord } from './record.ts';

export const handler = endpoint(getUser, async (call) => userRecord(targetUserOf(call)), { alsoRead: targetUserKeys });
