import { hashToken, tokenIdOf } from '../auth/tokens.ts';
import type { Item, Table } from './client.ts';
import { tokenKey, tokenListKey } from './keys.ts';

/** A personal access token as stored: its hash, never itself. */
export interface Token {
  readonly tokenId: string;
  readonly tokenHash: string;
  readonly userId: string;
  readonly username: string;
  readonly name: string;
  /** Null: never expires. */
  readonly expirationDate: string | null;
  readonly createdAt: string;
}

/** The token of an item that a read found. */
export const tokenOf = (item: Item | undefined): Token | undefined => item && (item as unknown as Token);

/** Whether a token has not expired. */
export const isCurrent = (token: Token): boolean =>
  token.expirationDate === null || Date.parse(token.expirationDate) > Date.now();

/** Finds the stored token that a presented one stands for. */
export const findTokenBySecret = async (table: Table, secret: string): Promise<Token | undefined> => {
  const tokenHash = hashToken(secret);
  const key = tokenKey(tokenIdOf(tokenHash));
  const token = tokenOf((await table.read([key])).find(key));
  return token?.tokenHash === tokenHash ? token : undefined;
};

/** Stores a new token of a user. */
export const insertToken = async (
  table: Table,
  secret: string,
  fields: Pick<Token, 'userId' | 'username' | 'name' | 'expirationDate'>,
): Promise<Token> => {
  const tokenHash = hashToken(secret);
  const token: Token = {
    ...fields,
    tokenId: tokenIdOf(tokenHash),
    tokenHash,
    createdAt: new Date().toISOString(),
  };
  const { tokenId, userId, name } = token;
  const refusal = await table.write([
    { insert: { ...tokenKey(tokenId), ...token } },
    { insert: { ...tokenListKey(userId, name, tokenId), id: tokenId } },
  ]);
  if (refusal) throw new Error('A new token has the ID of another one.');
  return token;
};
