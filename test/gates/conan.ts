import { getConanDocument, getConanSearch } from '../../functions/conan/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { md5 } from '../types/conan.ts';
import { type GatedType, type GateWorld, json, sent, timeOf } from './gated-type.ts';

const revisionOf = (version: string): string => md5(version);
const packageId = 'b'.repeat(40);

/** The paths of a version and of a binary of it. */
const pathsOf = (name: string, version: string) => {
  const recipe = `${name}/${version}/_/_`;
  const ofRecipe = `${recipe}/revisions/${revisionOf(version)}`;
  const binary = `${ofRecipe}/packages/${packageId}`;
  return { recipe, ofRecipe, binary, ofBinary: `${binary}/revisions/${revisionOf(`binary ${version}`)}` };
};

/** The release gate of remote repositories of Conan, each of whose versions has one revision. */
export const conanGate = ({ ask }: GateWorld): GatedType => {
  const conan: GatedType = {
    type: 'conan',
    file: getConanDocument,
    isAlwaysTimed: true,
    versionOf: (version) => `${version}#${revisionOf(version)}`,
    answer: (name, ages) => {
      const routes = Object.entries(ages).flatMap(([version, hours]) => {
        const { recipe, ofRecipe, binary, ofBinary } = pathsOf(name, version);
        const revision = { revision: revisionOf(version), time: timeOf(hours) };
        const built = { revision: revisionOf(`binary ${version}`), time: '2026-01-02T03:04:05Z' };
        return Object.entries({
          [`${recipe}/latest`]: revision,
          [`${recipe}/revisions`]: { revisions: [revision] },
          [`${ofRecipe}/files`]: { files: { 'conanfile.py': {} } },
          [`${ofRecipe}/search`]: { [packageId]: { content: 'info' } },
          [`${binary}/latest`]: built,
          [`${binary}/revisions`]: { revisions: [built] },
          [`${ofBinary}/files`]: { files: { 'conaninfo.txt': {} } },
          [`${ofRecipe}/files/conanfile.py`]: 'the recipe',
          [`${ofBinary}/files/conaninfo.txt`]: 'the binary',
        }).map(([path, content]) => [
          `/v2/conans/${path}`,
          typeof content === 'string' ? content : JSON.stringify(content),
        ]);
      });
      const results = Object.keys(ages).map((version) => `${name}/${version}`);
      return sent({ ...Object.fromEntries(routes), '/v2/conans/search': JSON.stringify({ results }) });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getConanSearch, 'conan', repository, `v2/conans/search?q=${name}/*`, headers),
    ],
    listed: async (repository, name) => {
      const [search] = await conan.documents(repository, name);
      const { results } = json(search as Answer) as { results: string[] };
      const inSearch = results.map((recipe) => recipe.slice(name.length + 1));
      const passing: string[] = [];
      for (const version of Array.from({ length: 10 }, (_, at) => `1.${at}.0`)) {
        const { recipe, ofRecipe, binary } = pathsOf(name, version);
        const paths = [`${recipe}/latest`, `${recipe}/revisions`, `${ofRecipe}/files`, `${ofRecipe}/search`];
        const statuses: number[] = [];
        for (const path of [...paths, `${binary}/latest`, `${binary}/revisions`])
          statuses.push((await ask(getConanDocument, 'conan', repository, `v2/conans/${path}`)).status);
        expect([version, new Set(statuses).size]).toEqual([version, 1]);
        if (statuses[0] === 200) passing.push(version);
      }
      return [inSearch, passing];
    },
    files: (name, version) => {
      const { ofRecipe, ofBinary } = pathsOf(name, version);
      return [`v2/conans/${ofRecipe}/files/conanfile.py`, `v2/conans/${ofBinary}/files/conaninfo.txt`];
    },
    kept: (name) => [{ name, document: 'recipes' }],
    keptOf: (name, version) => [{ name, document: `${pathsOf(name, version).recipe}/revisions` }],
  };
  return conan;
};
