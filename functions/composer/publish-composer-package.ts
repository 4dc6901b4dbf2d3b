import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { receiveBody } from '../../shared/store/received-file.ts';
import { publishComposerPackage } from './contracts.ts';
import { packageContent } from './format.ts';
import { composer } from './type.ts';

export const handler = endpoint(
  publishComposerPackage,
  async (call) => {
    const { body, query, table } = call;
    const target = publishTarget(call, composer);
    const received = await receiveBody(body, table.signal);
    const content = await packageContent(received, query.version);
    await publishTo(call, composer, target, content);
    const { name, version } = content;
    return { package: name, version, sizeInBytes: received.size, sha256: received.hashes.sha256 };
  },
  { alsoRead: alsoReadSources },
);
