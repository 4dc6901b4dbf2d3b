export const actorKinds = ['user', 'workspace-token', 'trust', 'service'] as const;

/** Who makes a request, as records, logs and lists name it. */
export interface Actor {
  readonly kind: (typeof actorKinds)[number];
  /** The same for all tokens of a user, and for a workspace token and those that took its place. */
  readonly id: string;
  readonly name: string;
  /** The token of the request; null if it came with a password, or if the service itself acts. */
  readonly tokenId: string | null;
}

/** A user, with the token of the request if there is one. */
export const userActor = (
  { userId, username }: { readonly userId: string; readonly username: string },
  tokenId: string | null = null,
): Actor => ({ kind: 'user', id: userId, name: username, tokenId });
