import { getHelmDocument } from '../../functions/helm/contracts.ts';
import { sha256 } from '../harness/bytes.ts';
import { type GatedType, type GateWorld, sent, timeAgo, timeOf } from './gated-type.ts';

const chartFile = (name: string, version: string): string => `${name}-${version}.tgz`;

/** The release gate of remote repositories of helm. */
export const helmGate = ({ ask }: GateWorld): GatedType => {
  const helm: GatedType = {
    type: 'helm',
    file: getHelmDocument,
    answer: (name, ages) => {
      const chart = (version: string) =>
        Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from(`chart ${name} ${version}`)]);
      const entries = Object.entries(ages).map(([version, hours]) => {
        const urls = [`charts/${chartFile(name, version)}`];
        return { apiVersion: 'v2', name, version, created: timeOf(hours), digest: sha256(chart(version)), urls };
      });
      const charts = Object.keys(ages).flatMap((version) => [
        [`/charts/${chartFile(name, version)}`, chart(version)] as const,
        [`/charts/${chartFile(name, version)}.prov`, Buffer.from('signed')] as const,
      ]);
      const index = { apiVersion: 'v1', generated: timeAgo(0), entries: { [name]: entries } };
      return sent({ '/index.yaml': JSON.stringify(index), ...Object.fromEntries(charts) });
    },
    documents: async (repository, _name, headers = {}) => [
      await ask(getHelmDocument, 'helm', repository, 'index.yaml', headers),
    ],
    listed: async (repository, name) => {
      const [index] = await helm.documents(repository, name);
      return [[...(index?.text ?? '').matchAll(/"version":"([\d.]+)"/g)].map(([, version = '']) => version)];
    },
    files: (name, version) => [`charts/${chartFile(name, version)}`, `charts/${chartFile(name, version)}.prov`],
    kept: () => [{ name: 'index.yaml', document: 'index' }],
  };
  return helm;
};
