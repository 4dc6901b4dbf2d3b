import { getComposerDocument } from '../../functions/composer/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { zipOf } from '../harness/pypi.ts';
import { type GatedType, type GateWorld, json, newName, sent, timeOf } from './gated-type.ts';

/** The release gate of remote repositories of composer. */
export const composerGate = ({ upstream, ask }: GateWorld): GatedType => {
  const composer: GatedType = {
    type: 'composer',
    newName: () => `acme/${newName()}`,
    file: getComposerDocument,
    answer: (name, ages) => {
      const zip = (version: string) => zipOf({ 'composer.json': JSON.stringify({ name: name, version }) });
      const versions = Object.entries(ages).map(([version, hours]) => {
        const dist = { type: 'zip', url: `${upstream.url}/zips/${version}`, reference: `ref${version}`, shasum: '' };
        return { name: name, version, version_normalized: `${version}.0`, time: timeOf(hours), dist };
      });
      return sent({
        '/packages.json': JSON.stringify({ 'metadata-url': '/p2/%package%.json' }),
        [`/p2/${name}.json`]: JSON.stringify({ packages: { [name]: versions } }),
        ...Object.fromEntries(Object.keys(ages).map((version) => [`/zips/${version}`, zip(version)])),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getComposerDocument, 'composer', repository, `p2/${name}.json`, headers),
    ],
    listed: async (repository, name) => {
      const [document] = await composer.documents(repository, name);
      const { packages } = json(document as Answer) as { packages: Record<string, { version: string }[]> };
      return [(packages[name] ?? []).map(({ version }) => version)];
    },
    files: (name, version) => [`dist/${name}/${version}/ref${version}.zip`],
    kept: (name) => [{ name, document: 'versions' }],
  };
  return composer;
};
