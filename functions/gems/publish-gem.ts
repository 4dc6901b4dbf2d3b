import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishGem } from './contracts.ts';
import { gemContent } from './gem-content.ts';
import { gems } from './type.ts';

export const handler = endpoint(
  publishGem,
  async (call) => {
    const target = publishTarget(call, gems);
    const received = await receiveBody(call.body, call.table.signal);
    const content = await gemContent(received);
    await publishTo(call, gems, target, content);
    const text = `Published ${content.displayName} ${content.version} to ${target.name}.\n`;
    return { kind: 'bytes', mediaType: 'text/plain; charset=utf-8', content: text };
  },
  { alsoRead: alsoReadSources },
);
