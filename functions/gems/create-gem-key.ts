import { endpoint } from '../../shared/http/endpoint.ts';
import { createGemKey } from './contracts.ts';
import { answerKey } from './gem-key.ts';

export const handler = endpoint(createGemKey, async (call) => answerKey(call));
