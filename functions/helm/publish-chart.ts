import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { chartContent } from './chart-content.ts';
import { publishChart } from './contracts.ts';
import { receiveFormFiles } from './form-files.ts';
import { helm } from './type.ts';

export const handler = endpoint(
  publishChart,
  async (call) => {
    const target = publishTarget(call, helm);
    const { required: chart, find } = await receiveFormFiles(call.body, call.table, 'chart');
    await publishTo(call, helm, target, await chartContent(chart, find('prov')));
    return { saved: true };
  },
  { alsoRead: alsoReadSources },
);
