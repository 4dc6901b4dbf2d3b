import { type FoundIndexes, findIndexes } from '../../shared/packages/serve/package-indexes.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { projectGate } from './gate.ts';
import type { ProjectFiles } from './project-files.ts';
import { localFiles } from './project-pages.ts';
import { upstreamPage } from './upstream-pages.ts';

/** Finds what the sources know of a project. */
export const findProject = async (
  call: Parameters<typeof findIndexes>[0],
  sources: Sources,
  name: string,
): Promise<FoundIndexes<ProjectFiles>> =>
  findIndexes(call, sources, {
    name,
    ofLocal: localFiles,
    ofUpstream: (source) => upstreamPage(source, name),
    gate: projectGate(name),
  });

/** The absolute URL of a path below the address of the repository in a request. */
export const urlOf =
  ({
    baseUrl,
    params,
  }: {
    readonly baseUrl: string;
    readonly params: { readonly workspace: string; readonly repository: string };
  }) =>
  (path: string): string => {
    const [workspace, repository] = [params.workspace, params.repository].map(encodeURIComponent);
    return `${baseUrl}/pypi/${workspace}/${repository}/${path}`;
  };
