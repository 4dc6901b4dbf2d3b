/** The reasons why an identity token is refused, for the log and for the dry run. A caller never learns which one it was. */
export type RefusalReason =
  /** There is no such trust, or its workspace is gone. */
  | 'trust'
  /** It is not one JSON Web Token of the accepted form and algorithms. */
  | 'malformed'
  | 'algorithm'
  | 'key'
  | 'signature'
  | 'issuer-claim'
  | 'audience'
  | 'time'
  | 'claims'
  | 'conditions'
  /** The keys of the issuer could not be fetched. */
  | 'issuer';

/** An identity token that proves nothing. The message is a sentence without a secret. */
export class RefusedToken extends Error {
  override readonly name = 'RefusedToken';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}
