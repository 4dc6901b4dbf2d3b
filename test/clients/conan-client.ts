import { getConanDocument, getConanSearch } from '../../functions/conan/contracts.ts';
import { useService } from '../harness/service.ts';
import { type Named, uniqueName } from '../harness/world.ts';
import { useSandboxes, useTeam } from './client-world.ts';
import { describeUnlessLeftOut } from './drivers/all.ts';
import { conan, runConan } from './drivers/conan.ts';
import type { Ran, Registry } from './drivers/driver.ts';
import { useWatchedAddress, type WatchedRequest } from './watched-address.ts';

/** What Conan alone does, beside the cases for every client: uploads of many files, of which any may be broken. */
jest.setTimeout(900_000);

const service = useService();
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();
const watched = useWatchedAddress(service);

/** A recipe with an exported file and an exported source, and a binary. */
const recipe = `
from conan import ConanFile
from conan.tools.files import save
class Recipe(ConanFile):
    exports = "notes.txt"
    exports_sources = "source.txt"
    def package(self):
        save(self, self.package_folder + "/content.txt", "the content")
`;

const ofRecipe = ['conan_export.tgz', 'conan_sources.tgz', 'conanfile.py', 'conanmanifest.txt'];
const ofBinary = ['conan_package.tgz', 'conaninfo.txt', 'conanmanifest.txt'];

/** Each file of the upload, and whether it is one of the binary. */
const files = [
  ...ofRecipe.map((file) => [file, 'recipe', false] as const),
  ...ofBinary.map((file) => [file, 'binary', true] as const),
];

/** The ways in which a request is broken. Of each file, `npm run test:clients` tries all. */
const ways = ['cut', 409, 413, 500] as const;

const addressOf = ({ name }: Named): Registry => ({
  url: `http://${watched.host}/conan/${team.workspace.name}/${name}`,
  token: team.deployer.token,
});

const succeeded = ({ isFailed, output }: Ran): string => {
  if (isFailed) throw new Error(`Conan failed:\n${output}`);
  return output;
};

/** What clients are shown of a package: its recipes, and the binaries of the latest one, if there are any. */
const shownOf = async (repository: Named, name: string) => {
  const [place, as] = [{ workspace: team.workspace.id, repository: repository.id }, team.deployer.bearer];
  const query = { q: `${name}/*` };
  const found = await service.client.attempt(getConanSearch, { params: place, query, as });
  const path = `${name}/1.0/_/_/search`;
  const binaries = await service.client.attempt(getConanDocument, { params: { ...place, path }, as });
  return {
    recipes: (JSON.parse(found.text) as { results: string[] }).results,
    binaries: binaries.status === 200 ? Object.keys(JSON.parse(binaries.text) as object).length : 0,
  };
};

describeUnlessLeftOut('conan')('conan upload', () => {
  beforeAll(async () => conan.prepare());

  it.each(files)(
    'of %s of a %s that is broken shows nothing of it, and is completed by the next one',
    async (...[file, , isOfBinary]) => {
      const repository = await granted(await service.world.repository(team.workspace, undefined, 'conan'));
      const registry = addressOf(repository);
      const isBroken = ({ method, url }: WatchedRequest): boolean =>
        method === 'PUT' && url.endsWith(`/files/${file}`) && url.includes('/packages/') === isOfBinary;
      for (const way of ways) {
        const name = uniqueName('broken');
        const upload = ['upload', `${name}/*`, '--remote', 'stockroom', '--confirm'];
        const at = sandbox();
        at.write({ 'project/conanfile.py': recipe, 'project/notes.txt': name, 'project/source.txt': name });
        succeeded(await runConan(at, registry, ['create', '.', '--name', name, '--version', '1.0']));
        watched.breaks = (request) => (isBroken(request) ? way : undefined);
        const { isFailed, output } = await runConan(at, registry, upload);
        expect({ way, isFailed, output }).toEqual({ way, isFailed: true, output });
        const recipes = isOfBinary ? [`${name}/1.0`] : [];
        expect({ way, ...(await shownOf(repository, name)) }).toEqual({ way, recipes, binaries: 0 });
        watched.breaks = undefined;
        const again = succeeded(await runConan(at, registry, upload));
        if (!isOfBinary) expect(again).not.toMatch(/already in server/);
        expect({ way, ...(await shownOf(repository, name)) }).toEqual({ way, recipes: [`${name}/1.0`], binaries: 1 });
        const elsewhere = sandbox();
        succeeded(await conan.install(elsewhere, registry, { name }));
        expect(conan.contentOf(elsewhere, name)).toBe('the content');
      }
    },
  );
});
