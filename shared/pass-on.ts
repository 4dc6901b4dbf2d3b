import { AsyncLocalStorage } from 'node:async_hooks';

/** The front has not the right to do what a request needs: the API answers it. */
class PassOn extends Error {
  override readonly name = 'PassOn';
}

const current = new AsyncLocalStorage<{ isNeeded: boolean }>();

/** Says that only the API can answer the current request. What catches the error changes nothing about it. */
export const needApi = (): never => {
  const request = current.getStore();
  if (request) request.isNeeded = true;
  throw new PassOn('Only the API may do this.');
};

/** Whether the current request needs the API, or failed because another one of the process does. */
export const needsApi = (error?: unknown): boolean =>
  error instanceof PassOn || (current.getStore()?.isNeeded ?? false);

/** Does the work of a request; undefined if only the API can answer it. */
export const unlessApiIsNeeded = async <T>(work: () => Promise<T>): Promise<T | undefined> =>
  current.run({ isNeeded: false }, async () => {
    try {
      const result = await work();
      return needsApi() ? undefined : result;
    } catch (error) {
      if (needsApi(error)) return undefined;
      throw error;
    }
  });
