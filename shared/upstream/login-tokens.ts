import type { IncomingMessage } from 'node:http';
import { discard } from './discard.ts';

/** The token in the answer to a login, as an Authorization header; undefined if the answer has none. */
export const bearerIn = (answer: Uint8Array): string | undefined => {
  const text = Buffer.from(answer).toString().trim();
  // No token has other characters, and Node throws if a header does.
  return /^[!-~]{1,10000}$/.test(text) ? `Bearer ${text}` : undefined;
};

/** The token of one remote repository for which its credentials were exchanged. It lives as long as its client, for a minute. */
export class LoginToken {
  private known: Promise<string> | undefined;

  /** Sends a request with the token, and once more with a new one if the upstream does not know it any more. */
  async send(
    logIn: () => Promise<string>,
    send: (authorization: string) => Promise<IncomingMessage>,
  ): Promise<IncomingMessage> {
    const isNew = this.known === undefined;
    const used = this.kept(logIn);
    const message = await send(await used);
    if (message.statusCode !== 401 || isNew) return message;
    discard(message);
    // Another request may have the next one already.
    if (this.known === used) this.known = undefined;
    return send(await this.kept(logIn));
  }

  /** A failure is not kept, so the next request logs in again. */
  private kept(logIn: () => Promise<string>): Promise<string> {
    if (this.known) return this.known;
    const token = logIn();
    this.known = token;
    token.catch(() => {
      if (this.known === token) this.known = undefined;
    });
    return token;
  }
}
