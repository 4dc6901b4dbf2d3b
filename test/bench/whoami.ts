import { hashPassword } from '../../shared/auth/passwords.ts';
import { accountHeader } from '../harness/credentials.ts';
import { load, p99, rate, type Slice } from './load.ts';
import { type Figure, inTurns, times } from './report.ts';
import { password, startBare, storeToken, storeUser, storeWorkspace, theService } from './service.ts';
import { theVerdaccio } from './verdaccio.ts';
import type { Workbench } from './workbench.ts';

const rounds = 5;
const clients = 8;
/** Requests of one client in a slice in which every request has a password that the service has not verified yet. */
const unprovenPerClient = 8;

const perSecond = (slices: readonly Slice[]): string => `${rate(slices).toFixed(rate(slices) < 100 ? 1 : 0)}/s`;

/** Uses every user once, so that neither the memo of a process nor the authorizer's cache helps. */
const unproven = (accounts: readonly string[]) => {
  const rest = [...accounts];
  return {
    amount: accounts.length,
    setupClient: (client: { setRequests: (requests: { headers: Record<string, string> }[]) => void }) =>
      client.setRequests(rest.splice(0, unprovenPerClient).map((Authorization) => ({ headers: { Authorization } }))),
  };
};

/** Only the hashes of a slice of unverified passwords: no service that checks them can be faster. */
const hashAlone = async (): Promise<Slice> => {
  const before = performance.now();
  const amount = clients * unprovenPerClient;
  let begun = 0;
  const client = async () => {
    while (begun++ < amount) await hashPassword(password);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { requestsPerSecond: (amount * 1000) / (performance.now() - before), milliseconds: [] };
};

const accountsOf = async (count: number): Promise<string[]> => {
  const users = await Promise.all(Array.from({ length: count }, () => storeUser()));
  return users.map(({ username }) => accountHeader(username, password));
};

/** `GET /1/users/me` through the local runner, against Verdaccio's `whoami`: with a token, and with a password. */
export const whoami = async (workbench: Workbench): Promise<Figure[]> => {
  const verdaccio = await theVerdaccio(workbench, 'robin', password);
  const theirs = `${verdaccio.url}/-/whoami`;
  const service = await theService(workbench);
  const user = await storeUser();
  const { workspaceId } = await storeWorkspace(user);
  const { bearer, tokenId } = await storeToken(user);
  const known = { username: user.username, userId: user.userId, tokenId, workspaceId };
  const sameCalls = await startBare(workbench, 'currentUser', known);
  const oneRead = await startBare(workbench, 'credential', known);
  const url = `${service.url}/1/users/me`;
  const account = accountHeader(user.username, password);
  const strangers = await accountsOf((rounds + 1) * clients * unprovenPerClient);
  const firstSight = () => load({ url, ...unproven(strangers.splice(0, clients * unprovenPerClient)) });
  const robin = accountHeader('robin', password);
  const contestants = {
    token: () => load({ url, headers: { Authorization: bearer } }),
    sameCalls: () => load({ url: sameCalls.url }),
    oneRead: () => load({ url: oneRead.url }),
    jwt: () => load({ url: theirs, headers: { Authorization: verdaccio.bearer } }),
    memo: () => load({ url, headers: { Authorization: account } }),
    argon2: firstSight,
    hashAlone,
    bcrypt: () => load({ url: theirs, headers: { Authorization: robin }, seconds: 3 }),
  };
  // One round to warm up, which does not count.
  await inTurns(1, contestants, 30);
  const slices = await inTurns(rounds, contestants, 60);
  const { token, jwt, memo, argon2, bcrypt } = slices;
  await Promise.all([sameCalls.stop(), oneRead.stop()]);

  const [throughput, latency] = [rate(token) / rate(jwt), p99(token) / p99(jwt)];
  const [slow, quick] = [rate(argon2) / rate(bcrypt), rate(memo) / rate(bcrypt)];
  const row = 'GET /1/users/me, 8 clients';
  const bareText = (bare: readonly Slice[]): string =>
    `${times(rate(bare) / rate(jwt))} (${perSecond(bare)}), p99 ${times(p99(bare) / p99(jwt))} (${p99(bare).toFixed(1)} ms)`;
  return [
    {
      row: `${row}, token`,
      against: `Verdaccio's whoami, JWT without a lookup (${perSecond(jwt)})`,
      goal: '≥ 0.4 × with a lookup in every request',
      figure: `${times(throughput)} (${perSecond(token)})`,
      met: throughput >= 0.4,
    },
    {
      row: `${row}, token: what limits it`,
      against: `Verdaccio's whoami, JWT without a lookup (${perSecond(jwt)})`,
      goal: 'none: a bare node:http server that checks nothing and makes these calls with the SDK',
      figure: `the three table calls of a process that remembers nothing: ${bareText(slices.sameCalls)}; one read: ${bareText(slices.oneRead)}`,
      met: 'for comparison',
    },
    {
      row: `${row}, token: p99`,
      against: `Verdaccio's p99 (${p99(jwt).toFixed(1)} ms)`,
      goal: '≤ 2.5 ×',
      figure: `${times(latency)} (${p99(token).toFixed(1)} ms)`,
      met: latency <= 2.5,
    },
    {
      row: `${row}, password, each sent for the first time`,
      against: `Verdaccio, bcrypt (${perSecond(bcrypt)})`,
      goal: '≥ 8 × without the memo',
      figure: `${times(slow)} (${perSecond(argon2)})`,
      met: slow >= 8,
    },
    {
      row: `${row}, password: what limits it`,
      against: `Verdaccio, bcrypt (${perSecond(bcrypt)})`,
      goal: 'none: the same number of argon2id hashes (19 MiB, two passes) on all cores, and nothing else',
      figure: `${times(rate(slices.hashAlone) / rate(bcrypt))} (${perSecond(slices.hashAlone)})`,
      met: 'for comparison',
    },
    {
      row: `${row}, password, verified before`,
      against: `Verdaccio, bcrypt (${perSecond(bcrypt)})`,
      goal: '≥ 100 × with the memo',
      figure: `${times(quick)} (${perSecond(memo)})`,
      met: quick >= 100,
    },
  ];
};
