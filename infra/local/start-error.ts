/** The reason why the local runner cannot start or continue, in one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
