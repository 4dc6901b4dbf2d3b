import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { sha256 } from '../harness/bytes.ts';
import type { Answer } from '../harness/client.ts';
import { gemOf, gemPath, versionsIn } from '../types/gems.ts';
import { type GatedType, type GateWorld, sent, timeOf } from './gated-type.ts';

const md5 = '0'.repeat(32);

/** The release gate of remote repositories of gems. */
export const gemsGate = ({ ask }: GateWorld): GatedType => {
  const gems: GatedType = {
    type: 'gems',
    file: getGemsDocument,
    answer: (name, ages) => {
      const lines = Object.entries(ages).map(([version, hours]) => {
        const time = hours === undefined ? '' : `,created_at:${timeOf(hours)}`;
        return `${version} |checksum:${sha256(gemOf({ name, version }))},ruby:>= 2.0${time}\n`;
      });
      const files = Object.keys(ages).flatMap((version) => [
        [`/${gemPath({ name, version })}`, gemOf({ name, version })] as const,
        [`/quick/Marshal.4.8/${name}-${version}.gemspec.rz`, 'a gemspec'] as const,
      ]);
      return sent({
        [`/info/${name}`]: `---\n${lines.join('')}`,
        '/versions': `created_at: 2026-01-01T00:00:00Z\n---\n${name} ${Object.keys(ages).join()} ${md5}\n`,
        ...Object.fromEntries(files),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getGemsDocument, 'gems', repository, `info/${name}`, headers),
    ],
    listed: async (repository, name) => {
      const [info] = await gems.documents(repository, name);
      return [info?.status === 404 ? [] : versionsIn((info as Answer).text)];
    },
    files: (name, version) => [gemPath({ name, version }), `quick/Marshal.4.8/${name}-${version}.gemspec.rz`],
    kept: (name) => [{ name, document: `info/${name}` }],
  };
  return gems;
};
