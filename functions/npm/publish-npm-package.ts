import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { type FileToPublish, fileMediaType } from '../../shared/packages/changes/publication.ts';
import { publishTo } from '../../shared/packages/changes/publish-to.ts';
import { changeInTarget, missingInTarget } from '../../shared/packages/changes/target-changes.ts';
import { changeVersion, setTag } from '../../shared/packages/changes/version-changes.ts';
import { requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { refusing, refusingAsync } from '../../shared/packages/formats/format-refusals.ts';
import { type JsonObject, parseObject } from '../../shared/packages/formats/json-objects.ts';
import { type LoadedIndex, loadIndex } from '../../shared/packages/index/package-index.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { receiveFile } from '../../shared/store/received-file.ts';
import type { PackageRef } from '../../shared/table/packages/package-keys.ts';
import type { LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { updateRefusals } from './account-routes.ts';
import { publishNpmPackage } from './contracts.ts';
import { checkedEntryOf, manifestOf, timeOf } from './index-entries.ts';
import { keepLatest } from './latest-tag.ts';
import { type Manifest, withDeprecation } from './manifest.ts';
import { packageTarget } from './package-target.ts';
import { type ChangedTag, parsePackumentUpdate } from './packument-update.ts';
import { provenanceFile, tarballFile } from './paths.ts';
import { isPublication, parsePublish } from './publish-body.ts';
import { differentMembers } from './same-manifest.ts';
import { readTarball } from './tarball.ts';
import { npm } from './type.ts';
import { requireUnpublish } from './unpublish.ts';

type PublishCall = Call<typeof publishNpmPackage>;

/** Refuses a manifest that is not that of the tarball: an installation goes by the one, and who reads the package sees the other. */
const requireSameManifest = async (manifest: Manifest, tarball: Uint8Array): Promise<void> => {
  const { manifest: packageJson } = await readTarball(Readable.from([tarball]));
  const violations = differentMembers(manifest, packageJson);
  requireValidFormat(violations);
};

const publishVersion = async (
  call: PublishCall,
  target: LocalRepository,
  name: string,
  body: JsonObject,
): Promise<void> => {
  const { manifest, tags, head, tarball, provenance } = refusing(() => parsePublish(body, name));
  await refusingAsync(async () => requireSameManifest(manifest, tarball));
  const { version } = manifest;
  const attached = [
    { name: tarballFile(name, version), file: tarball },
    ...(provenance ? [{ name: provenanceFile(name, version), file: provenance }] : []),
  ];
  const files = await Promise.all(
    attached.map(
      async (each): Promise<FileToPublish> => ({
        name: each.name,
        mediaType: fileMediaType,
        received: await receiveFile(Readable.from([each.file]), call.table.signal),
      }),
    ),
  );
  await publishTo(call, npm, target, {
    name,
    displayName: name,
    version,
    files,
    parts: checkedEntryOf(manifest, { version, revision: 0, time: new Date().toISOString() }).parts,
    document: JSON.stringify(head),
    tags,
    tagRule: keepLatest,
  });
};

/** Whether a tag is where the client read it, as far as the client says so. One that nobody has set can have been read as `latest`. */
const isAsRead = (now: string | undefined, { before }: ChangedTag): boolean =>
  before === undefined || now === undefined || now === before;

/** Refuses to deprecate a version that a virtual repository shows from another child than its upload target. Throws REPOSITORY_READ_ONLY. */
const requireOwn = async (
  call: PublishCall,
  { target, name, index }: { readonly target: LocalRepository; readonly name: string; readonly index: LoadedIndex },
  versions: readonly string[],
): Promise<void> => {
  const version = versions.find((each) => !index.entries.has(each));
  if (version === undefined) return;
  const detail = `${name} ${version} comes from another child of '${call.repository.name}' than its upload target '${target.name}', and cannot be changed here.`;
  throw await missingInTarget(call, { target, name, version }, new ApiError('REPOSITORY_READ_ONLY', detail));
};

/**
 * Applies the changed deprecations of a packument that a client sends back, and with the first step of `npm unpublish` the tags that it
 * changed. Another request may have moved a tag meanwhile: that stays. So do versions that the document omits.
 */
const updateVersions = async (
  call: PublishCall,
  target: LocalRepository,
  ref: PackageRef,
  { body, isUnpublish }: { readonly body: JsonObject; readonly isUnpublish: boolean },
): Promise<void> => {
  const update = refusing(() => parsePackumentUpdate(body, ref.name));
  if (update.kind !== 'versions') throw updateRefusals[update.kind]();
  const { table, workspace: quota } = call;
  const index = await loadIndex(table, ref);
  if (!index) throw new ApiError('PACKAGE_NOT_FOUND');
  if (isUnpublish) await requireUnpublish(call, { target, name: ref.name, index }, update);
  await requireOwn(call, { target, name: ref.name, index }, update.deprecatedElsewhere);
  for (const [version, message] of update.deprecations) {
    if (!index.entries.has(version)) continue;
    await changeVersion(
      table,
      { repository: target, quota, ref, version },
      (parts) => deprecated(version, parts, message),
      (parts) => ({ deprecated: recordedMessage(version, parts) }),
    );
  }
  if (!isUnpublish) return;
  for (const changed of update.tags) {
    const { tag, version } = changed;
    const now = index.tags[tag];
    if (index.entries.has(version) && now !== version && isAsRead(now, changed))
      await setTag(table, target, ref, tag, version);
  }
};

/** How much of a message a record has, in UTF-16 code units. */
const recordedLength = 4_096;

/** The deprecation of a version; empty if there is none. */
const messageOf = (version: string, parts: readonly string[]) =>
  (manifestOf({ version, revision: 0, parts }) as Manifest).deprecated ?? '';

/** The same for a record, which has it as it was before, too: together they must fit into an item of the table. */
const recordedMessage = (version: string, parts: readonly string[]) => {
  const message = messageOf(version, parts);
  return (typeof message === 'string' ? message.slice(0, recordedLength) : message) || null;
};

const deprecated = (version: string, parts: readonly string[], message: string): readonly string[] | undefined => {
  if (messageOf(version, parts) === message) return undefined;
  const entry = { version, revision: 0, parts };
  const manifest = manifestOf(entry) as Manifest;
  const time = timeOf(entry);
  const facts = { version, revision: 0, ...(time !== undefined && { time }) };
  return checkedEntryOf(withDeprecation(manifest, message), facts).parts;
};

export const handler = endpoint(
  publishNpmPackage,
  async (call) => {
    const { path, target, ref } = packageTarget(call, '', ['packument', 'packument-revision']);
    const bytes = await buffer(call.body.stream());
    const body = refusing(() => parseObject(bytes, 'The body'));
    if (path.kind === 'packument' && isPublication(body)) await publishVersion(call, target, path.name, body);
    else {
      const update = { body, isUnpublish: path.kind === 'packument-revision' };
      await changeInTarget(call, { target, name: path.name }, async () => updateVersions(call, target, ref, update));
    }
    return { ok: true };
  },
  { alsoRead: alsoReadSources },
);
