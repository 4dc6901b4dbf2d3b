/** The time between two renewals of a lease, a quarter of the length of the leases of workers. */
const renewalMilliseconds = 15_000;

/**
 * Does work while a lease is renewed. `renew` returns false if another run holds the lease, and the signal that the work gets
 * then aborts. A renewal that fails is repeated by the next one, which comes before the lease ends.
 */
export const whileRenewed = async <T>(
  renew: () => Promise<boolean>,
  work: (isLost: AbortSignal) => Promise<T>,
): Promise<T> => {
  const lease = new AbortController();
  const renewOnce = async (): Promise<void> => {
    if (!(await renew())) lease.abort();
  };
  const renewal = setInterval(() => void renewOnce().catch(() => {}), renewalMilliseconds);
  try {
    return await work(lease.signal);
  } finally {
    clearInterval(renewal);
    // Ends what the work has left behind if it failed.
    lease.abort();
  }
};
