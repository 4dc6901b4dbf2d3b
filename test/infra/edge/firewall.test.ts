import { endpoints } from '../../../functions/endpoints.ts';
import { basicPatterns, openPaths } from '../../../infra/edge/firewall.ts';
import { decodeAuthorization } from '../../../shared/auth/authorization-header.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import { isOpen } from '../../../shared/http/contract.ts';
import { settingsOf } from '../templates.ts';

/** Whether the rule about passwords counts a request with this header. */
const isCounted = (header: string): boolean =>
  new RegExp(basicPatterns.any).test(header) && !new RegExp(basicPatterns.withToken).test(header);

const basic = (pair: string): string => Buffer.from(pair).toString('base64');

describe('The rule about passwords', () => {
  it.each(['robin:secret', 'token-bot:secret', 'toke:n', 'Token:secret', `robin:${newToken()}`, ':'])(
    'counts the account %s, whatever the case of the scheme',
    (pair) => {
      for (const scheme of ['Basic', 'basic', 'BASIC', 'bAsIc']) {
        const header = `${scheme} ${basic(pair)}`;
        expect(decodeAuthorization([header])?.kind).toBe('password');
        expect(isCounted(header)).toBe(true);
      }
    },
  );

  it('counts no token, in whichever form, and nothing that is sent as one', () => {
    const token = newToken();
    const withToken = [`Bearer ${token}`, `bearer ${token}`, `Basic ${basic(`token:${token}`)}`];
    for (const header of withToken) expect(decodeAuthorization([header])).toEqual({ kind: 'token', token });
    for (const header of [...withToken, `BASIC ${basic('token:guess')}`, 'Bearer Basic']) {
      expect(decodeAuthorization([header])?.kind).not.toBe('password');
      expect(isCounted(header)).toBe(false);
    }
  });
});

describe('The rules for what is open', () => {
  const { signIns, others } = openPaths(endpoints);
  /** The paths of an endpoint as clients send them, with the stage and under a domain. */
  const sentPaths = (path: string): string[] => {
    const sent = path.replaceAll(/\{[^}]+\+\}/g, 'a/b.c').replaceAll(/\{[^}]+\}/g, 'a-b');
    return [sent, `/api${sent}`, `${sent}/`];
  };
  const pathsOf = (wanted: (each: (typeof endpoints)[number]) => boolean): string[] =>
    endpoints.filter(wanted).flatMap(({ path }) => sentPaths(path));

  it.each([
    ['sign-ins are about each open endpoint that takes something', signIns, 'write'],
    ['the others are about each open endpoint that is only read', others, 'read'],
  ] as const)('%s, and about no other', (_, pattern, way) => {
    const isOfWay = ({ method }: { readonly method: string }) => (method === 'GET') === (way === 'read');
    const covered = pathsOf((each) => isOpen(each) && isOfWay(each));
    const open = endpoints.filter((each) => isOpen(each) && isOfWay(each)).map(({ path }) => path);
    // What has any path also counts what stands below it: npm revokes a token below the path of its logins.
    const isBelow = (path: string) =>
      open.some((each) => each.endsWith('+}') && path.startsWith(each.slice(0, each.lastIndexOf('{'))));
    const free = pathsOf(({ path }) => !open.includes(path) && !isBelow(path));
    expect(covered.length).toBeGreaterThan(10);
    expect(covered.filter((path) => !new RegExp(pattern).test(path))).toEqual([]);
    expect(free.filter((path) => new RegExp(pattern).test(path))).toEqual([]);
  });
});

describe('The limits of the firewall', () => {
  it('hold where data are kept, and new versions are tried there first', () => {
    const { firewall, canary, keepsData } = settingsOf('prod');
    expect({ isOn: firewall.enabled, canary, keepsData }).toEqual({ isOn: true, canary: true, keepsData: true });
  });

  it.each(['dev', 'prod'] as const)('allow the fewest where nobody has proved who calls: %s', (stage) => {
    const { firewall } = settingsOf(stage);
    const inOrder = [
      firewall.signInsPerFiveMinutesPerAddress,
      firewall.openRequestsPerFiveMinutesPerAddress,
      firewall.passwordsPerFiveMinutesPerAddress,
      firewall.requestsPerFiveMinutesPerAddress,
      firewall.requestsPerFiveMinutesPerCredential,
    ];
    expect(inOrder).toEqual(inOrder.toSorted((one, other) => one - other));
    expect(new Set(inOrder).size).toBe(inOrder.length);
    // So many guesses of a password come from one address at most.
    expect(firewall.signInsPerFiveMinutesPerAddress).toBeLessThanOrEqual(100);
    expect(firewall.passwordsPerFiveMinutesPerAddress).toBeLessThanOrEqual(1_000);
  });
});
