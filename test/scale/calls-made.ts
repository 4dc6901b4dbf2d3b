import type { Contract } from '../../shared/http/contract.ts';
import type { Service } from '../harness/service.ts';

/** What a function asked of the table and of the object store, in the order of the calls of each. Expects this status. */
export const callsMade = async (
  { proxy, store }: Pick<Service, 'proxy' | 'store'>,
  contract: Contract,
  act: () => Promise<{ readonly status: number }>,
  status: number,
) => {
  proxy.forget();
  store.forget();
  expect((await act()).status).toBe(status);
  return {
    table: proxy.callsOf(contract.id).map(({ operation }) => operation),
    store: store.calls.map(({ method }) => method),
  };
};
