import { getCrate, getCrateIndex } from '../../functions/cargo/contracts.ts';
import { indexPathOf } from '../../functions/cargo/names.ts';
import { sha256 } from '../harness/bytes.ts';
import { linesOf } from '../harness/cargo.ts';
import type { Answer } from '../harness/client.ts';
import { type GatedType, type GateWorld, sent, timeOf } from './gated-type.ts';

/** The release gate of remote repositories of cargo. */
export const cargoGate = ({ upstream, ask }: GateWorld): GatedType => {
  const cargo: GatedType = {
    type: 'cargo',
    file: getCrate,
    answer: (name, ages) => {
      const crate = (version: string) => Buffer.from(`crate ${name} ${version}`);
      const lines = Object.entries(ages).map(([vers, hours]) =>
        JSON.stringify({
          name,
          vers,
          deps: [],
          cksum: sha256(crate(vers)),
          features: {},
          yanked: false,
          pubtime: timeOf(hours),
        }),
      );
      return sent({
        '/config.json': JSON.stringify({ dl: `${upstream.url}/dl` }),
        [`/${indexPathOf(name)}`]: `${lines.join('\n')}\n`,
        ...Object.fromEntries(Object.keys(ages).map((version) => [`/dl/${name}/${version}/download`, crate(version)])),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getCrateIndex, 'cargo', repository, indexPathOf(name), headers),
    ],
    listed: async (repository, name) => {
      const [index] = await cargo.documents(repository, name);
      return [
        linesOf((index as Answer).text)
          .filter(({ yanked }) => yanked === false)
          .map(({ vers }) => vers),
      ];
    },
    files: (name, version) => [`api/v1/crates/${name}/${version}/download`],
    kept: (name) => [{ name, document: `index ${name}` }],
  };
  return cargo;
};
