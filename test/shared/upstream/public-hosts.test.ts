import {
  hostOf,
  isHostOrNetwork,
  isPermittedAddress,
  isPermittedHost,
  isPublicAddress,
  isPublicHost,
} from '../../../shared/upstream/public-hosts.ts';

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '168.63.129.17', '172.15.0.1', '2606:4700:4700::1111', '3ffe::1', '::ffff:8.8.8.8'])(
    'is %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
      expect(isPublicHost(address)).toBe(true);
    },
  );

  it.each([
    [
      'loopback',
      ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::7f00:1'],
    ],
    ['nowhere or everywhere', ['0.0.0.0', '0.1.2.3', '::', '255.255.255.255', '224.0.0.1', 'ff02::1', '240.0.0.1']],
    ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '100.64.0.1', '::ffff:10.0.0.1']],
    ['private in IPv6', ['fc00::1', 'fdff::1', 'fec0::1', 'fe80::1', 'fe80::1%eth0']],
    ['a metadata service', ['169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192']],
    ['a metadata service of Azure', ['168.63.129.16', '::ffff:168.63.129.16']],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff:ffff::1']],
    ['a tunnel', ['192.88.99.1', '64:ff9b::a00:1', '64:ff9b:1::1', '2002:a00:1::', '2001::1', '::ffff:0:7f00:1']],
    ['not handed out', ['198.18.0.1', '100::1', '5f00::1', '4000::1', '1::']],
    ['none at all', ['', 'example.com', '8.8.8.8.', '[::1]', '8.8.8.256']],
  ])('is not one that is %s', (_, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe('a public host', () => {
  it.each([
    'registry.npmjs.org',
    'e.example',
    'localhost.example.com',
    'internal.example',
    'svc.example',
    'goog.example',
  ])('is %s', (host) => {
    expect(isPublicHost(host)).toBe(true);
  });

  it.each([
    ['localhost', 'x.localhost', 'nexus', 'nexus.local', 'x.localdomain', 'home', 'svc'],
    ['x.internal', 'x.intranet', 'x.lan', 'x.home.arpa', 'x.home', 'x.corp', 'x.private', 'x.test', 'x.invalid'],
    ['kubernetes.default.svc', 'kubernetes.default.svc.cluster.local', 'metadata.goog', 'x.metadata.goog'],
  ])('is none of %s, %s, %s, …', (...hosts) => {
    expect(hosts.filter(isPublicHost)).toEqual([]);
  });
});

describe('the host of a URL', () => {
  it.each([
    ['https://Registry.NPMJS.org/x', 'registry.npmjs.org'],
    ['https://example.com./', 'example.com'],
    ['https://[::1]:8443/', '::1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
  ])('%s is %s', (url, host) => {
    expect(hostOf(url)).toBe(host);
    expect(hostOf(new URL(url))).toBe(host);
  });

  it.each([
    'https://e..com/',
    'https://localhost../',
    'http://127.0.0.1../',
    'https://.example.com/',
    'http://./',
    'x:',
  ])('%s has none', (url) => {
    expect(hostOf(url)).toBeUndefined();
  });

  it.each(['https://example.com:0/', 'https://example.com:65536/', 'https://256.1.1.1/', 'example.com'])(
    '%s has none to connect to',
    (url) => {
      expect(hostOf(url)).toBeUndefined();
    },
  );
});

describe('the list of the operator', () => {
  const list = ['10.1.0.0/16', 'nexus.corp', '192.168.7.7', 'fd00:1::/32', '169.254.7.7'];

  it.each([
    '10.1.255.255',
    'nexus.corp',
    '192.168.7.7',
    '::ffff:10.1.0.1',
    'fd00:1::5',
    'fd00:1:0:0:0:0:0:5',
    '8.8.8.8',
  ])('permits %s', (host) => {
    expect(isPermittedHost(host, list)).toBe(true);
  });

  it.each(['10.2.0.0', 'x.nexus.corp', 'xnexus.corp', 'corp', '192.168.7.8', 'fd00:2::1'])(
    'does not permit %s',
    (host) => {
      expect(isPermittedHost(host, list)).toBe(false);
    },
  );

  it.each([
    ['10.1.2.3', 'registry.example'],
    ['192.168.9.9', 'nexus.corp'],
    ['127.0.0.1', 'nexus.corp'],
    ['169.254.7.7', 'registry.example'],
    ['8.8.8.8', 'registry.example'],
  ])('permits %s as an address of %s', (address, host) => {
    expect(isPermittedAddress(address, host, list)).toBe(true);
  });

  it.each([
    ['192.168.9.9', 'registry.example'],
    ['192.168.9.9', 'x.nexus.corp'],
    ['nexus.corp', 'nexus.corp'],
    ['registry.example', 'registry.example'],
  ])('does not permit %s as an address of %s', (address, host) => {
    expect(isPermittedAddress(address, host, list)).toBe(false);
  });

  it.each(['169.254.169.254', '169.254.170.2', '::ffff:169.254.169.254', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1'])(
    'does not permit %s of a metadata service to a listed name',
    (address) => {
      expect(isPermittedAddress(address, 'nexus.corp', list)).toBe(false);
    },
  );

  it.each(['168.63.129.16', '100.100.100.200'])('does not permit %s of another cloud to a listed name', (address) => {
    expect(isPermittedAddress(address, 'nexus.corp', list)).toBe(false);
  });
});

describe("An entry of the operator's list", () => {
  it.each(['nexus', 'Nexus.internal', 'localhost', '10.0.0.7', '10.0.0.0/8', 'fd00::1', 'fd00::/8'])(
    'may be %s',
    (entry) => {
      expect(isHostOrNetwork(entry)).toBe(true);
    },
  );

  it.each([
    'http://nexus.internal',
    'nexus.internal:8081',
    'nexus.internal/npm',
    'user@nexus.internal',
    '*.internal',
    'nexus..internal',
    'nexus internal',
    '10.0.0.0/33',
    '10.0.0.0-10.0.0.9',
    '[fd00::1]',
  ])('cannot be %s, which no host is', (entry) => {
    expect(isHostOrNetwork(entry)).toBe(false);
  });
});
