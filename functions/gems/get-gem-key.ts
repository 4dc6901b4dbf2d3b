import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { getGemKey } from './contracts.ts';
import { keyAnswer, sentToken } from './gem-key.ts';

const refusal =
  'A GET request makes no key for a password: sign in with the username token and a token as the password, or with gem 3.2 or newer.';

export const handler = endpoint(getGemKey, async (call) => {
  const token = sentToken(call);
  if (token === undefined) throw new ApiError('FORBIDDEN', refusal);
  return keyAnswer(token);
});
