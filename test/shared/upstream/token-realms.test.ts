import { isRealmOf } from '../../../shared/upstream/token-realms.ts';

const allows = (home: string, realm: string): boolean => isRealmOf(new URL(home), new URL(realm));

describe('The credentials of a registry may go for a token', () => {
  it.each([
    ['https://registry-1.docker.io/', 'https://auth.docker.io/token'],
    ['https://registry.gitlab.com/', 'https://gitlab.com/jwt/auth'],
    ['https://registry.corp.example/', 'https://registry.corp.example:8443/token'],
    ['https://registry.shop.co.uk/', 'https://login.shop.co.uk/token'],
    ['https://mirror.example.org/', 'https://auth.docker.io/token'],
    ['https://acme.azurecr.io/', 'https://acme.azurecr.io/oauth2/token'],
    ['http://10.0.0.5:5000/', 'http://10.0.0.5:5000/token'],
    ['http://10.0.0.5:5000/', 'https://10.0.0.5/token'],
  ])('from %s to %s', (home, realm) => {
    expect(allows(home, realm)).toBe(true);
  });

  it.each([
    ['https://registry.example.org/', 'https://evil.example/token'],
    ['https://registry.example.org/', 'https://registry.example.org.evil.example/token'],
    ['https://registry.example.org/', 'https://badexample.org/token'],
    ['https://registry.example.org/', 'http://auth.example.org/token'],
    ['https://registry.example.org/', 'http://registry.example.org/token'],
    ['https://registry.shop.co.uk/', 'https://evil.co.uk/token'],
    ['https://shop.com.au/', 'https://evil.com.au/token'],
    ['https://acme.azurecr.io/', 'https://evil.azurecr.io/token'],
    ['https://registry/', 'https://evil/token'],
    ['https://10.0.0.5/', 'https://10.1.0.5/token'],
    ['https://[2001:db8::1]/', 'https://[2001:db8::2]/token'],
    ['http://registry.example.org/', 'https://auth.example.org/token'],
    ['http://registry.example.org/', 'https://auth.docker.io/token'],
    ['http://10.0.0.5:5000/', 'http://10.0.0.5:5001/token'],
  ])('but not from %s to %s', (home, realm) => {
    expect(allows(home, realm)).toBe(false);
  });
});
