import { endpoint } from '../../shared/http/endpoint.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { publishTarget } from '../../shared/packages/sources/upload-target.ts';
import { publishCrate } from './contracts.ts';
import { readCrate } from './crate-archive.ts';
import { requireSame } from './manifest.ts';
import { crateVersion } from './publication.ts';
import { readPublishBody } from './publish-body.ts';
import { cargo } from './type.ts';

export const handler = endpoint(
  publishCrate,
  async (call) => {
    const { body, table } = call;
    const target = publishTarget(call, cargo);
    const version = await refusingAsync(async () => {
      const { metadata, received } = await readPublishBody(body.stream(), table.signal);
      // What is too large for an index is not compared with the crate.
      const content = crateVersion(metadata, received);
      requireSame(metadata, await readCrate(await received.stream()));
      return content;
    });
    await publishTo(call, cargo, target, version);
    return { warnings: { invalid_categories: [], invalid_badges: [], other: [] } };
  },
  { alsoRead: alsoReadSources },
);
