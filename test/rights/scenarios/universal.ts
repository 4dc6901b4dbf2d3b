import { getUniversalFile } from '../../../functions/universal/contracts.ts';
import { handedOver } from '../../harness/remote-repositories.ts';
import { refusing, serving } from '../../harness/upstream.ts';
import { breakingOff, failingToCommit, largeContent } from './fetched-files.ts';
import type { RightsScenario } from './scenario.ts';

/** The same fetches by the worker, which goes on where a request has no time. */
const fetchInWorker: RightsScenario['afterFetching'] = async ({ service, fixture, upstream }, remote) => {
  const functionId = 'fetcher';
  const large = largeContent();
  const work = async (file: string) =>
    service.runner.invoke(functionId, await handedOver(fixture.workspace, remote, upstream, file));
  upstream.answer = refusing(404);
  await work('absent');
  upstream.answer = serving(large);
  service.proxy.inject({ functionId, ...failingToCommit });
  await expect(work('large')).rejects.toThrow();
  await work('large');
  upstream.answer = breakingOff(large);
  await work('broken');
};

export const universalScenario: RightsScenario = {
  fetching: {
    contract: getUniversalFile,
    urlOf: (url) => `${url}/{package-name}/{version}/{file}`,
    paramsOf: (file) => ({ path: `tool/1/${file}` }),
  },
  afterFetching: fetchInWorker,
};
