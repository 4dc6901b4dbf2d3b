import { endpoint } from '../../shared/http/endpoint.ts';
import { getUser } from './contracts.ts';
import { userRecord } from './record.ts';
import { subjectKeys, subjectOf } from './subject.ts';

export const handler = endpoint(getUser, async (call) => userRecord(subjectOf(call)), { alsoRead: subjectKeys });
