import { getConanDocument, getConanSearch, publishConanFile } from '../../functions/conan/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { type PackageFormat, paramsOf, type VersionAddress } from '../harness/package-format.ts';
import type { Service } from '../harness/service.ts';
import { md5, recipePath } from './conan.ts';

/** The one revision of a version, whatever its content is. */
const revisionOf = (version: string): string => md5(version);

type Place = Pick<VersionAddress, 'name' | 'version'>;

/** The path of the revision of a version behind `v2/conans/`. */
export const revisionPath = ({ name, version }: Place): string =>
  `${recipePath(name, version)}/revisions/${revisionOf(version)}`;

/** The path of a file of it. */
export const filePath = (place: Place, file: string): string => `${revisionPath(place)}/files/${file}`;

/** A manifest that names the conanfile.py alone, of every content. */
export const manifestOf = (place: Place): string =>
  `1795465121\nconanfile.py: ${md5(filePath(place, 'conanfile.py'))}\n`;

const versions = async ({ client }: Service, { name, as, ...place }: Omit<VersionAddress, 'version'>) => {
  const { workspace, repository } = place;
  const { status, text } = await client.attempt(getConanSearch, {
    params: { workspace: workspace.id, repository: repository.id },
    query: { q: `${name}/*` },
    as,
  });
  const { results } = status === 200 ? (JSON.parse(text) as { results: string[] }) : { results: [] };
  return results.length === 0 ? undefined : results.map((recipe) => recipe.slice(name.length + 1));
};

/** A recipe with one revision for each version. Its file comes before its manifest, which shows it, as Conan sends them. */
export const conanFormat: PackageFormat = {
  packageType: 'conan',
  versionOf: (version) => `${version}#${revisionOf(version)}`,
  fileCount: 2,
  sendsFilesAlone: true,
  managersReplace: true,
  publishing: publishConanFile,
  downloading: getConanDocument,
  publish: async ({ client }, { as, ...address }, content) => {
    const send = async (file: string, text: string): Promise<Answer> =>
      client.attempt(publishConanFile, {
        params: paramsOf(address, filePath(address, file)),
        bytes: { content: text, mediaType: 'application/octet-stream' },
        as,
      });
    const sent = await send('conanfile.py', content);
    if (sent.status !== 201 && sent.status !== 200) return sent;
    const shown = await send('conanmanifest.txt', manifestOf(address));
    // What is there already is 200, and Conan would not have sent it.
    return shown.status === 200 ? { ...shown, status: 409, code: 'VERSION_EXISTS' } : shown;
  },
  /** Clients ask for the file of a recipe that they were shown. */
  download: async (service, { as, ...address }) => {
    const params = paramsOf(address, filePath(address, 'conanfile.py'));
    const answer = await service.client.attempt(getConanDocument, { params, as });
    if (answer.status >= 400 || (await versions(service, { ...address, as }))?.includes(address.version)) return answer;
    return { ...answer, status: 404, text: '' };
  },
  versions,
};
