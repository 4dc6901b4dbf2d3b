import { text } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { setTag } from '../../shared/packages/changes/version-changes.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { updateDistTag } from './contracts.ts';
import { packageTarget } from './package-target.ts';
import { isTag } from './tags.ts';
import { normalVersion } from './versions.ts';

/** The version in the body: a JSON string. */
const versionIn = (body: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'string' ? normalVersion(value) : undefined;
  } catch {
    throw new ApiError('BODY_MALFORMED', 'The body must be a version as a JSON string, such as "1.0.0".');
  }
};

export const handler = endpoint(
  updateDistTag,
  async (call) => {
    const { path, target, ref } = packageTarget(call, '-/package/', ['dist-tag']);
    const version = versionIn(await text(call.body.stream()));
    if (version === undefined || !isTag(path.tag))
      throw new ApiError(
        'PACKAGE_INVALID',
        'A dist-tag must be a name that is not a version or a range of versions, and its value must be a version such as "1.0.0".',
      );
    const { name, tag } = path;
    await changeInTarget(call, { target, name, version }, async () => setTag(call.table, target, ref, tag, version));
    return { ok: true };
  },
  { alsoRead: alsoReadSources },
);
