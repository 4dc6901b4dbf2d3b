import { endpoint } from '../../shared/http/endpoint.ts';
import { publish } from '../../shared/packages/changes/publish.ts';
import { publisherOf } from '../../shared/packages/changes/publisher.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { chartContent } from './chart-content.ts';
import { publishChart } from './contracts.ts';
import { receiveFormFiles } from './form-files.ts';

export const handler = endpoint(
  publishChart,
  async ({ body, caller, workspace, repository, loaded, table }) => {
    requireType(repository, 'helm');
    const target = uploadTargetOf(repository, loaded);
    const { required: chart, find } = await receiveFormFiles(body, table, 'chart');
    const content = await chartContent(chart, find('prov'));
    const origin = { kind: 'published', by: publisherOf(caller) } as const;
    await publish(table, { repository: target, quota: workspace, origin, ...content });
    return { saved: true };
  },
  { alsoRead: alsoReadSources },
);
