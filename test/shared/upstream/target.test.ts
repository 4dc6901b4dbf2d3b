import { type Referrer, targetOf } from '../../../shared/upstream/target.ts';
import { UpstreamError } from '../../../shared/upstream/upstream-error.ts';

const configured = new URL('https://registry.example:8443/npm/');
const rules = { configured, allowedPrivate: ['10.1.2.3'] };
const plainRules = { configured: new URL('http://registry.example/'), allowedPrivate: [] };
const redirect: Referrer = { url: new URL('https://registry.example:8443/a/b?token=secret'), status: 302 };

const refusal = (address: string, referrer: Referrer, of = rules): UpstreamError | undefined => {
  try {
    targetOf(address, referrer, of);
    return undefined;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
};

describe('a target', () => {
  it.each([
    ['https://files.example/x', 'https://files.example/x', 'files.example'],
    ['https://files.example:8443/x?y=%2f#z', 'https://files.example:8443/x?y=%2f', 'files.example'],
    ['https://files.example:80/', 'https://files.example:80/', 'files.example'],
    ['https://10.1.2.3/', 'https://10.1.2.3/', '10.1.2.3'],
    ['https://[2606:4700:4700::1111]/', 'https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
    ['//cdn.example./x', 'https://cdn.example./x', 'cdn.example'],
    ['../c', 'https://registry.example:8443/c', 'registry.example'],
    ['?page=2', 'https://registry.example:8443/a/b?page=2', 'registry.example'],
  ])('is %s after a redirect', (address, href, host) => {
    const target = targetOf(address, redirect, rules);
    expect([target.url.href, target.host]).toEqual([href, host]);
  });

  it('may go from http to https', () => {
    expect(targetOf('https://registry.example/', { url: plainRules.configured }, plainRules).host).toBe(
      'registry.example',
    );
  });

  it.each([
    ['http://registry.example:8443/', 'registry.example:8443 would be reached without TLS (HTTP 302).'],
    ['http://files.example/', 'leads to files.example, which would be reached without TLS (HTTP 302).'],
    ['https://files.example:6379/', 'leads to files.example:6379, which has a port that is not 80, 443 or the one of'],
    ['https://files.example:22/', 'leads to files.example:22, which has a port that is not 80, 443 or the one of'],
    ['https://u:p@files.example/', 'leads to files.example, which has a user or a password in its URL (HTTP 302).'],
    ['https://u@files.example/', 'leads to files.example, which has a user or a password in its URL (HTTP 302).'],
    ['https://10.0.0.1/', 'registry.example:8443 leads to an address that is not a public host (HTTP 302).'],
    ['https://metadata.goog/', 'registry.example:8443 leads to an address that is not a public host (HTTP 302).'],
    ['https://e..com/', 'registry.example:8443 leads to an address that is no valid host and port (HTTP 302).'],
    ['https://files.example:0/', 'leads to an address that is no valid host and port (HTTP 302).'],
  ])('is never %s', (address, sentence) => {
    const { kind, message } = refusal(address, redirect) ?? {};
    expect({ kind, message }).toEqual({ kind: 'refused-address', message: expect.stringContaining(sentence) });
  });

  it.each(['ftp://files.example/', 'file:///etc/passwd', 'javascript:1', 'data:,x', 'https://', 'https://[::1', ''])(
    'is never %s, nor a way around',
    (address) => {
      const { kind, message } = refusal(address, { url: configured }) ?? {};
      expect({ kind, message }).toEqual({
        kind: 'protocol',
        message: 'registry.example:8443 leads to an address that is not http or https.',
      });
    },
  );

  it.each(['/x', 'x.tgz', '//files.example/x'])('is absolute when no redirect names it, not %s', (address) => {
    expect(refusal(address, { url: configured })?.kind).toBe('protocol');
  });

  it('of a repository with http keeps to the ports 80 and 443', () => {
    const ports = [1, 79, 80, 81, 443, 444, 8080, 8443, 9001];
    const permitted = ports.filter(
      (port) => !refusal(`http://files.example:${port}/`, { url: plainRules.configured }, plainRules),
    );
    expect(permitted).toEqual([80, 443]);
  });
});
