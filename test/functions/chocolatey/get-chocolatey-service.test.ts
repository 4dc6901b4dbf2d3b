import { getChocolateyService } from '../../../functions/chocolatey/contracts.ts';
import { useService } from '../../harness/service.ts';
import { usePackageFeed } from '../../types/nupkgs.ts';

const { send, urlOf } = usePackageFeed(useService(), 'chocolatey');

describe('GET /chocolatey/{workspace}/{repository}', () => {
  it('is the service document of the feed, with and without a slash', async () => {
    const answers = [await send(getChocolateyService, ''), await send(getChocolateyService, '', { isBare: true })];
    for (const { status, headers, text } of answers) {
      expect([status, headers['content-type']]).toEqual([200, 'application/xml']);
      expect(text).toContain(`<service xml:base="${urlOf('')}" xmlns="http://www.w3.org/2007/app"`);
      expect(text).toContain('<collection href="Packages">');
    }
  });
});
