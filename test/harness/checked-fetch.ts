import type { Contract } from '../../shared/http/contract.ts';

/**
 * Asks with `fetch`, which inflates what is compressed and keeps bytes as they are. The answer is checked as every other one,
 * and what it redirects to is fetched.
 */
export const fetchChecked = async (
  contract: Contract,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> => {
  const answer = await fetch(url, { headers, redirect: 'manual' });
  const reply = {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    text: await answer.clone().text(),
  };
  replyRules.readReply(contract, reply, { baseUrl: new URL(url).origin });
  const { location } = reply.headers;
  return answer.status === 302 && location !== undefined ? fetch(location) : answer;
};
