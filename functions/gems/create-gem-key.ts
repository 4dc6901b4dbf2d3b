import { endpoint } from '../../shared/http/endpoint.ts';
import { newLoginToken } from '../../shared/http/login-token.ts';
import { createGemKey } from './contracts.ts';
import { keyAnswer, sentToken } from './gem-key.ts';

export const handler = endpoint(createGemKey, async (call) =>
  keyAnswer(sentToken(call) ?? (await newLoginToken(call, createGemKey, { name: 'gem signin', days: 90 }))),
);
