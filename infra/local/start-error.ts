/** Why the local runner cannot start or go on, as one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
