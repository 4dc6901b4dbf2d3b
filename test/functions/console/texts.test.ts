import { browserText, sizeText } from '../../../functions/console/app/texts.ts';

describe('The texts of the console', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [1_250, '1.3 kB'],
    [300_000_000, '300 MB'],
    [7_000_000_000_000_000, '7,000 TB'],
  ])('say %d bytes as %s, on one line', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text.replace(' ', '\u00a0'));
  });

  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML) Chrome/142.0 Safari/537.36 Edg/142.0', 'Edge, Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1', 'Safari, iPhone'],
    ['curl/8.5', 'curl/8.5'],
    ['', ''],
  ])('say of %s: %s', (userAgent, text) => {
    expect(browserText(userAgent)).toBe(text);
  });
});
