import { getGoFile } from '../../functions/go/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { moduleZip } from '../harness/go.ts';
import { type GatedType, type GateWorld, newName, sent, timeOf } from './gated-type.ts';

const infoOf = (version: string, hours: number | undefined): string =>
  JSON.stringify({ Version: version, Time: timeOf(hours) });

/** The release gate of remote repositories of Go modules. */
export const goGate = ({ ask }: GateWorld): GatedType => {
  const go: GatedType = {
    type: 'go',
    file: getGoFile,
    newName: () => `corp.example/${newName()}`,
    versionOf: (version) => `v${version}`,
    answer: (name, ages) => {
      const versions = Object.entries(ages).map(([version, hours]) => [`v${version}`, hours] as const);
      const [last, hours] = versions.toSorted(([one], [other]) => (one < other ? -1 : 1)).at(-1) ?? ['v0.0.1', 1];
      return sent({
        [`/${name}/@v/list`]: versions.map(([version]) => `${version}\n`).join(''),
        [`/${name}/@latest`]: infoOf(last, hours),
        ...Object.fromEntries(
          versions.flatMap(([version, age]) => [
            [`/${name}/@v/${version}.info`, infoOf(version, age)],
            [`/${name}/@v/${version}.mod`, `module ${name}\n`],
            [`/${name}/@v/${version}.zip`, moduleZip(name, version)],
          ]),
        ),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getGoFile, 'go', repository, `${name}/@v/list`, headers),
    ],
    listed: async (repository, name) => {
      const [list] = await go.documents(repository, name);
      const versions = (list as Answer).text.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(1)]));
      const latest = await ask(getGoFile, 'go', repository, `${name}/@latest`);
      const highest = versions.toSorted().at(-1);
      expect([latest.status, /"Version":"v(?<version>[^"]+)"/.exec(latest.text)?.groups?.version]).toEqual(
        highest === undefined ? [403, undefined] : [200, highest],
      );
      return [versions];
    },
    files: (name, version) => ['zip', 'mod', 'info'].map((kind) => `${name}/@v/v${version}.${kind}`),
    kept: (name) => [
      { name, document: 'list' },
      { name, document: 'latest' },
    ],
    keptOf: (name, version) => [{ name, document: `info v${version}` }],
  };
  return go;
};
