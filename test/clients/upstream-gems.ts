import { createHash } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { readGemspec } from '../../functions/gems/gemspec.ts';
import { dumpGemspec } from '../../functions/gems/gemspec-dump.ts';
import { infoText } from '../../functions/gems/info-lines.ts';
import { sha256 } from '../harness/bytes.ts';
import { gemOf, metadataYaml } from '../types/gems.ts';
import { etagged, type UpstreamPackage } from './upstream-type.ts';

/** What a site of gems serves of these versions of one gem, by path. */
export const gemSite = async (
  _upstream: unknown,
  versions: readonly UpstreamPackage[],
): Promise<Record<string, RequestListener>> => {
  const { name = '' } = versions[0] ?? {};
  const documents: Record<string, RequestListener> = {};
  const lines: string[] = [];
  for (const each of versions) {
    const [file, spec] = [gemOf(each), readGemspec(Buffer.from(metadataYaml(each)))];
    const fullName = `${name}-${each.version}`;
    documents[`/gems-site/gems/${fullName}.gem`] = etagged(file, 'application/octet-stream');
    documents[`/gems-site/quick/Marshal.4.8/${fullName}.gemspec.rz`] = etagged(
      dumpGemspec(spec),
      'application/octet-stream',
    );
    const created = each.publishedAt === undefined ? '' : `,created_at:${each.publishedAt}`;
    lines.push(`${infoText(spec, sha256(file))}${created}\n`);
  }
  const info = `---\n${lines.join('')}`;
  const md5 = createHash('md5').update(info).digest('hex');
  const list = `created_at: 2026-01-01T00:00:00Z\n---\n${name} ${versions.map(({ version }) => version).join()} ${md5}\n`;
  return {
    ...documents,
    [`/gems-site/info/${name}`]: etagged(info, 'text/plain'),
    '/gems-site/versions': etagged(list, 'text/plain'),
  };
};
