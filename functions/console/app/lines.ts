import type { LinesToPaste } from '../../../shared/package-lines.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import type { getRepository } from '../../repositories/contracts.ts';
import { base, type Result } from './api.ts';
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

/** The lines for a repository or a package. Names that are not known stand in angle brackets. */
export const linesOf = (type: PackageType, { takesVersions, ...target }: PasteTarget): readonly LinesToPaste[] => {
  const root = new URL(base());
  const at = `${root.href}${type}/${target.workspace}/${target.repository}`;
  const bare = at.replace(/^https?:\/\//, '');
  const parts = { name: '<package>', version: '<version>', ...target, at, bare, host: root.host };
  const found = typeLines[type]?.linesToPaste(parts, words) ?? [];
  return found.filter(({ title }) => takesVersions || !title.endsWith(words.publish));
};
