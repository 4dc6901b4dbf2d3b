import { text } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { deleteVersion } from '../../shared/packages/changes/deletion.ts';
import { changeInTarget } from '../../shared/packages/changes/target-changes.ts';
import { alsoReadSources, requireType } from '../../shared/packages/sources/package-address.ts';
import { deletionTargetOf } from '../../shared/packages/sources/upload-target.ts';
import { deleteGemVersion } from './contracts.ts';
import { type FullName, fullNameOf, readVersionText, versionKey, versionText } from './full-names.ts';
import { isGemName, packageNameOf } from './names.ts';
import { gems } from './type.ts';

/** The version that a form names. */
const versionIn = (form: string): FullName => {
  const fields = new URLSearchParams(form);
  const [name, version, platform] = ['gem_name', 'version', 'platform'].map((field) => fields.get(field) ?? '');
  if (!name || !version)
    throw new ApiError(
      'BODY_MALFORMED',
      'Say in the form which version to yank: gem_name and version, and the platform unless it is ruby.',
    );
  const read = readVersionText(
    versionText({ version, platform: platform && platform !== 'ruby' ? platform : undefined }),
  );
  if (!isGemName(name)) throw new ApiError('PACKAGE_NOT_FOUND');
  if (!read) throw new ApiError('VERSION_NOT_FOUND');
  return { name, ...read };
};

export const handler = endpoint(
  deleteGemVersion,
  async (call) => {
    const { repository, loaded, table } = call;
    requireType(repository, gems);
    const target = deletionTargetOf(repository, loaded);
    const full = versionIn(await text(call.body.stream()));
    const [name, version] = [packageNameOf(full.name), versionKey(full)];
    await changeInTarget(call, { target, name, version }, async () => deleteVersion(table, target, name, version));
    const content = `Yanked ${fullNameOf(full)} from ${target.name}.\n`;
    return { kind: 'bytes', mediaType: 'text/plain; charset=utf-8', content };
  },
  { alsoRead: alsoReadSources },
);
