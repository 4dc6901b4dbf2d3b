import { endpoint } from '../../shared/http/endpoint.ts';
import { getGemKey } from './contracts.ts';
import { answerKey } from './gem-key.ts';

export const handler = endpoint(getGemKey, async (call) => answerKey(call));
