/** Returns a signal that aborts so many milliseconds from now. Its timer begins when it is first asked for: most are not. */
export const lazyDeadline = (milliseconds: number): (() => AbortSignal) => {
  const startedAt = performance.now();
  let signal: AbortSignal | undefined;
  return () => {
    signal ??= AbortSignal.timeout(Math.max(0, Math.floor(milliseconds - (performance.now() - startedAt))));
    return signal;
  };
};
