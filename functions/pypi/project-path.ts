import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { projectIn } from './names.ts';
import { normalVersion } from './versions.ts';

/** A project, or one version of it. */
interface ProjectVersion {
  readonly name: string;
  readonly version: string | undefined;
}

/** Parses `{project}/json` and `{project}/{version}/json` as the client sent it, in any spelling; undefined for any other path. */
export const parseProjectPath = (rawTail: string): ProjectVersion | undefined => {
  const segments = decodeSegments(rawTail) ?? [];
  const [project = '', spelled = ''] = segments;
  const name = projectIn(project);
  if (name === undefined || segments.at(-1) !== 'json') return undefined;
  if (segments.length === 2) return { name, version: undefined };
  const version = segments.length === 3 ? normalVersion(spelled) : undefined;
  return version === undefined ? undefined : { name, version };
};
