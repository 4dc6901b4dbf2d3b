import { setTimeout as pause } from 'node:timers/promises';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { Table } from '../../shared/table/client.ts';
import { passwordFailuresKey } from '../../shared/table/keys.ts';
import { accountHeader } from '../harness/credentials.ts';
import { useService } from '../harness/service.ts';
import { type Actor, newPassword, uniqueName } from '../harness/world.ts';

const service = useService();
const seconds = Number(process.env.GUESSING_SECONDS ?? 10);
const connections = 50;

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

/** A user for whom the gateway asks the authorizer in each request. */
const askAnew = async (as: string) => {
  service.runner.clearAuthorizerCache();
  const begun = performance.now();
  const { status } = await service.client.call(getCurrentUser, { as });
  return { status, milliseconds: performance.now() - begun };
};

/** The requests of a caller with a token, one after the other, until the guesses end. */
const askWhile = async ({ bearer }: Actor, until: Promise<unknown>) => {
  const over = until.then(() => true);
  const answers: Awaited<ReturnType<typeof askAnew>>[] = [];
  do answers.push(await askAnew(bearer));
  while (!(await Promise.race([over, pause(20, false)])));
  return answers;
};

const told = (what: string, answers: readonly { readonly status: number; readonly milliseconds: number }[]): void => {
  const times = answers.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  const failed = answers.filter(({ status }) => status !== 200).length;
  say(`${what}: ${answers.length} requests, median ${at(0.5)} ms, p99 ${at(0.99)} ms, ${failed} failed`);
};

/** What all connections guess together, and how many of the guesses cost a hash. */
const guess = async (usernameOf: () => string) => {
  const { sourceAddress } = await addressOf();
  const key = passwordFailuresKey(sourceAddress);
  const hashes = async (): Promise<number> => (await new Table().read([key])).find(key)?.count ?? 0;
  const end = Date.now() + seconds * 1000;
  const statuses = new Map<number, number>();
  const connection = async (): Promise<void> => {
    while (Date.now() < end) {
      const { status } = await service.client.call(getCurrentUser, { as: accountHeader(usernameOf(), newPassword()) });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const before = await hashes();
  await Promise.all(Array.from({ length: connections }, connection));
  return { statuses, hashes: (await hashes()) - before };
};

/** The address of the test, as the functions log it. */
const addressOf = async (): Promise<{ readonly sourceAddress: string }> => {
  await service.client.call(getCurrentUser, { as: accountHeader(uniqueName(), newPassword()) });
  const line = service.logs.findLast((each) => each.includes('credential refused')) ?? '{}';
  return JSON.parse(line) as { sourceAddress: string };
};

const forgetFailures = async (username?: string): Promise<void> => {
  const { sourceAddress } = await addressOf();
  const values = { ':end': new Date(0).toISOString(), ':none': 0 };
  const update = passwordFailuresKey(sourceAddress, username);
  await new Table().update({ update, set: 'SET #windowEndsAt = :end, #count = :none', values });
};

// No test of npm test: it measures, and takes half a minute. `npm run test:guessing` runs it.
it.each(['one user', 'another user each time'])(
  `${connections} connections guess the password of %s`,
  async (whose) => {
    const [caller, victim] = [await service.world.user(), await service.world.user()];
    await forgetFailures();
    await askAnew(caller.bearer);
    const quiet = askWhile(caller, pause(3_000));
    told('A token caller before', await quiet);
    const guesses = guess(whose === 'one user' ? () => victim.username : uniqueName);
    const meanwhile = await askWhile(caller, guesses);
    const { statuses, hashes } = await guesses;
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    say(`${total} guesses in ${seconds} s: ${JSON.stringify(Object.fromEntries(statuses))}, ${hashes} hashes`);
    told('A token caller meanwhile', meanwhile);
    expect([...statuses.keys()].filter((status) => status !== 401 && status !== 503)).toEqual([]);
    // What began before the limit was reached is still checked.
    expect(hashes).toBeLessThanOrEqual((whose === 'one user' ? 10 : 100) + connections);
    expect(meanwhile.filter(({ status }) => status !== 200)).toEqual([]);
  },
  120_000,
);
