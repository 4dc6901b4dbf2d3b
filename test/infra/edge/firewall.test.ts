import { endpoints } from '../../../functions/endpoints.ts';
import { basicPatterns, packagePaths } from '../../../infra/edge/firewall.ts';
import { decodeAuthorization } from '../../../shared/auth/authorization-header.ts';
import { newToken } from '../../../shared/auth/tokens.ts';
import { packageTypes } from '../../../shared/package-types.ts';

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

describe('The rule for packages', () => {
  const ofPackages = new RegExp(packagePaths());
  const types: readonly string[] = packageTypes;
  const isOfType = (id: string): boolean => types.includes(id.split('/')[0] ?? '');

  it('is about each endpoint of a package type, with the stage and under a domain', () => {
    const paths = endpoints.filter(({ id }) => isOfType(id)).flatMap(({ path }) => [path, `/api${path}`]);
    expect(paths.length).toBeGreaterThan(50);
    // What says that there is a registry at all is the root itself.
    expect(paths.filter((path) => !ofPackages.test(path.endsWith('/') ? path : `${path}/`))).toEqual([]);
  });

  it('is about no other endpoint', () => {
    const paths = endpoints.filter(({ id }) => !isOfType(id)).flatMap(({ path }) => [path, `/api${path}`]);
    expect(paths.filter((path) => ofPackages.test(path))).toEqual([]);
  });
});
