import type { LinesToPaste } from '../../../shared/package-lines.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import type { getRepository } from '../../repositories/contracts.ts';
import { base, part, type Result } from './api.ts';
import { typeLines } from './type-lines.ts';
import { words } from './words.ts';

/** A repository, and a package of it where there is one. */
export interface PasteTarget {
  readonly workspace: string;
  readonly repository: string;
  readonly name?: string;
  readonly version?: string;
  /** Whether something can be published there by whoever looks. */
  readonly takesVersions: boolean;
  readonly isRemote: boolean;
}

/** The types that have clients here. */
export const typesWithClients = Object.keys(typeLines) as PackageType[];

/** The type that a form begins with. */
export const firstType = typesWithClients[0] as PackageType;

/** The public registry of a type; empty if there is none. */
export const publicUpstreamOf = (type: PackageType): string => typeLines[type]?.publicUpstream ?? '';

export type ShownRepository = Result<typeof getRepository>;

/** Whether a repository takes versions: it is local, or leads to a local one that does. */
export const isPublishable = (repository: ShownRepository): boolean =>
  repository.repositoryType === 'local' ||
  ('uploadLocalRepositoryId' in repository && repository.uploadLocalRepositoryId !== null);

/** Whether versions can be deleted from a repository; those of a cache, too. */
export const isDeletable = (repository: ShownRepository): boolean =>
  repository.repositoryType === 'remote' || isPublishable(repository);

/** Whether files alone make a version of a type. */
export const publishesFiles = (type: PackageType): boolean => typeLines[type]?.publishesFiles === true;

/** Whether a release gate can hold versions of a type back. */
export const canHaveGate = (type: PackageType): boolean => typeLines[type]?.hasGate === true;

/** Whether a verdict can block versions of a type. */
export const canHaveVerdicts = (type: PackageType): boolean => typeLines[type]?.takesVerdicts === true;

/** Whether a name or a version can stand in a line: no shell reads more in it, and no client an option. Publishers choose both. */
const isPlain = (text: string): boolean => /^[\w@][\w@./:+~=#-]*$/.test(text);

/** A text as a part of a URL in which no shell reads more. */
const plainPart = (text: string): string =>
  part(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** What of a package stands in lines: in angle brackets what is not known, or cannot stand there. */
const packageParts = ({ name = '', version = '' }: Pick<PasteTarget, 'name' | 'version'>) => ({
  name: isPlain(name) ? name : '<package>',
  version: isPlain(version) ? version : '<version>',
  path: `${name.split('/').map(plainPart).join('/') || '<package>'}/${plainPart(version) || '<version>'}`,
});

/** The lines for a repository or a package, of which the service has said that they are there. */
export const linesOf = (type: PackageType, { takesVersions, ...target }: PasteTarget): readonly LinesToPaste[] => {
  const root = new URL(base());
  const [workspace, repository] = [plainPart(target.workspace), plainPart(target.repository)];
  const at = `${root.href}${type}/${workspace}/${repository}`;
  const bare = at.replace(/^https?:\/\//, '');
  const isHttp = root.protocol === 'http:';
  const parts = { ...target, ...packageParts(target), workspace, repository, at, bare, host: root.host, isHttp };
  const found = typeLines[type]?.linesToPaste(parts, words) ?? [];
  return found.filter(({ title }) => takesVersions || !title.endsWith(words.publish));
};
