import { deleteChartVersion, publishChart } from '../../../functions/helm/contracts.ts';
import { chartOf, useHelmRepository } from '../../harness/helm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';

const service = useService();
const helm = useHelmRepository(service);

const remove = async (path: string) => helm.send(deleteChartVersion, `api/charts/${path}`);

describe('DELETE /helm/{workspace}/{repository}/api/charts/{package}/{version}', () => {
  itAnswers('200 and neither the index nor the address has the version; only the same bytes come back', async () => {
    const chart = await helm.publish();
    await helm.publish({ ...chart, version: '1.1.0' });
    const answer = await remove(`${chart.name}/1.0.0`);
    expect(answer.result).toEqual({ deleted: true });
    const shown = async () => (await helm.index()).entries[chart.name]?.map(({ version }) => version);
    expect(await shown()).toEqual(['1.1.0']);
    expect((await helm.get(`charts/${chart.name}-1.0.0.tgz`)).code).toBe('FILE_NOT_FOUND');
    const other = await chartOf({ ...chart, content: 'other' });
    expect((await helm.sendForm(publishChart, 'api/charts', { chart: other })).code).toBe('VERSION_EXISTS');
    expect((await helm.sendForm(publishChart, 'api/charts', { chart: await chartOf(chart) })).status).toBe(201);
    expect(await shown()).toEqual(['1.1.0', '1.0.0']);
    expect(await brokenContent(service)).toEqual([]);
    return answer;
  });

  itAnswers('404 VERSION_NOT_FOUND for a version that is not there', async () => {
    const { name } = await helm.publish();
    return [await remove(`${name}/1.0.1`), await remove(`${name}/no-version`)];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a chart that is not there', async () => [
    await remove('missing/1.0.0'),
    await remove('%2e%2e/1.0.0'),
  ]);
});
