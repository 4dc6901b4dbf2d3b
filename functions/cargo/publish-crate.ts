import { endpoint } from '../../shared/http/endpoint.ts';
import { publish } from '../../shared/packages/changes/publish.ts';
import { publisherOf } from '../../shared/packages/changes/publisher.ts';
import { refusalOf } from '../../shared/packages/formats/format-refusals.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { uploadTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { publishCrate } from './contracts.ts';
import { readCrate } from './crate-archive.ts';
import { requireSame } from './manifest.ts';
import { crateVersion } from './publication.ts';
import { readPublishBody } from './publish-body.ts';

export const handler = endpoint(
  publishCrate,
  async ({ body, caller, workspace, repository, loaded, table }) => {
    requireType(repository, 'cargo');
    const target = uploadTargetOf(repository, loaded);
    try {
      const { metadata, received } = await readPublishBody(body.stream(), table.signal);
      // What is too large for an index is not compared with the crate.
      const version = crateVersion(metadata, received);
      requireSame(metadata, await readCrate(await received.stream()));
      const origin = { kind: 'published', by: publisherOf(caller) } as const;
      await publish(table, { repository: target, quota: workspace, origin, ...version });
    } catch (error) {
      throw refusalOf(error);
    }
    return { warnings: { invalid_categories: [], invalid_badges: [], other: [] } };
  },
  { alsoRead: alsoReadSources },
);
