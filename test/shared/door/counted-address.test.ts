import type { Socket } from 'node:net';
import { countedAddressOf, countedViewerOf } from '../../../shared/door/headers.ts';

describe('Who is counted as one address', () => {
  it('is an IPv6 network of 64 bits, however its addresses are written', () => {
    const same = [
      '2001:db8:0:7::1',
      '2001:DB8::7:1:2:3:4',
      '2001:0db8:0000:0007:ffff:ffff:ffff:ffff',
      '2001:db8:0:7::1.2.3.4',
    ];
    expect(new Set(same.map(countedAddressOf))).toEqual(new Set(['2001:db8:0:7::/64']));
    expect(countedAddressOf('2001:db8:0:8::1')).toBe('2001:db8:0:8::/64');
    expect(countedAddressOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
    expect(countedAddressOf('::1')).toBe('0:0:0:0::/64');
    expect(countedAddressOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  });

  it('is one IPv4 address, also where it is mapped into IPv6', () => {
    expect(countedAddressOf('203.0.113.9')).toBe('203.0.113.9');
    expect(countedAddressOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
    expect(countedAddressOf('203.0.113.10')).not.toBe(countedAddressOf('203.0.113.9'));
  });

  it('is what is no address itself', () => {
    expect(countedAddressOf('')).toBe('');
  });

  it('is that of the connection, where no proxy names another', () => {
    const socket = { remoteAddress: '2001:db8:0:7::1' } as Socket;
    expect(countedViewerOf({ headers: { 'x-stockroom-viewer': '203.0.113.9' }, socket })).toBe('2001:db8:0:7::/64');
  });
});
