import type { Key } from './keys.ts';
import type { Put, Write } from './writes.ts';

/** What a request with an Idempotency-Key created, kept for a day. Nothing of the answer is stored. */
export interface Creation {
  readonly id: string;
  /** A keyed hash of the request. */
  readonly fingerprint: string;
  /** In seconds. DynamoDB removes the item up to days later. */
  readonly expiresAt: number;
}

/**
 * The writes that keep the ID of what a request creates under its Idempotency-Key, for the end of the transaction that
 * creates it. There are none if the request has no such key. If they are refused, any refusal of the request will do: the
 * pipeline then looks for the key.
 */
export type Remember = (id: string) => readonly Write[];

/** For creations that no request asked for. */
export const rememberNothing: Remember = () => [];

const lifetimeSeconds = 24 * 60 * 60;

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Whether a creation is still kept. */
export const isKept = ({ expiresAt }: Creation): boolean => expiresAt > nowSeconds();

/** Keeps a creation. It fails if another one is kept under the key. */
export const keepCreation = (key: Key<Creation>, { id, fingerprint }: Omit<Creation, 'expiresAt'>): Put => {
  const now = nowSeconds();
  return {
    put: { ...key, id, fingerprint, expiresAt: now + lifetimeSeconds },
    if: 'attribute_not_exists(pk) OR #expiresAt <= :now',
    values: { ':now': now },
  };
};
