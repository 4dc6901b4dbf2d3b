import { bugsIn, type Mutant } from './mutant.ts';

const publishing = 'functions/docker/publish-image-content';
const beginning = 'functions/docker/create-blob-upload';
const continuing = 'functions/docker/update-blob-upload';
const reading = 'functions/docker/get-image-content';
const deleting = 'functions/docker/delete-image-content';
const throughVirtual = 'functions/docker/push-through-virtual';

/** Bugs in the registry of images. */
export const imageMutants: readonly Mutant[] = [
  ...bugsIn('functions/docker/digests.ts', `${beginning}#other bytes or another algorithm`, {
    'bytes may have another digest than their sender promised': ['if (digestOf(sha256) !== digest)', 'if (false)'],
  }),
  ...bugsIn('functions/docker/mount.ts', `${beginning}#a pull through the virtual repository`, {
    'a mount looks only into the repository in from': [
      "packageType !== 'docker') return",
      "packageType !== 'docker' || source.repository.repositoryType === 'virtual') return",
    ],
  }),
  ...bugsIn('functions/docker/manifests.ts', `${throughVirtual}#some of whose blobs another child has`, {
    'a push takes nothing over from the other children of a virtual repository': [
      'if (lacking.length + optional.length > 0) await takeOver(call, target, image, { lacking, optional, children });',
      'if (lacking.length > 0) throw unknownContent(lacking);',
    ],
    'a push that makes a name a local one takes nothing over from upstreams': [
      'upstreamNames: { ...upstreamNames, allow: [image] }',
      'upstreamNames',
    ],
  }),
  ...bugsIn('functions/docker/get-image-content.ts', `${throughVirtual}#that it does not keep`, {
    'a client need not push a blob that no child keeps': ['isForPush ? keeping(all) : all', 'all'],
    'nothing new can be pushed while an upstream fails': [
      'if (isForPush && isOfUpstream(error)) return undefined;',
      '',
      `${throughVirtual}#where an upstream fails`,
    ],
    'a digest is not looked for behind an upstream that fails': [
      'isSameAnywhere: true,',
      '',
      `${throughVirtual}#after an upstream that fails`,
    ],
  }),
  ...bugsIn('functions/docker/manifest.ts', `${publishing}#as an image and others`, {
    'a manifest may be an image and an index': ['  requireOneKind(manifest, isIndex);\n', ''],
  }),
  ...bugsIn('functions/docker/publish-image-content.ts', publishing, {
    'a manifest may have another digest than its address': [
      "if ('digest' in reference && reference.digest !== digest)",
      'if (false)',
      `${publishing}#for another digest`,
    ],
    'a manifest may have any size': ['  requireManifestSize(call.body.length);\n', '', `${publishing}#more than 4 MiB`],
    'the answer to a manifest does not name its subject': [
      "about === undefined ? {} : { 'OCI-Subject': about }",
      '{}',
      `${publishing}#names the subject`,
    ],
    'an upload may end with other bytes': [
      'checkDigest(file.hashes.sha256, digest);',
      '',
      `${continuing}#digest or the range is wrong`,
    ],
    'the end of an upload may have any range': [
      '  checkRange(call, found, call.body.length);\n',
      '',
      `${continuing}#digest or the range is wrong`,
    ],
  }),
  ...bugsIn('functions/docker/content-range.ts', `${continuing}#bytes that do not follow`, {
    'a part may begin anywhere': [' || Number(first) !== progressed.upload.size)', ')'],
    'a part may have another length than its range': ['if (length > 0 && announced', 'if (length < 0 && announced'],
  }),
  ...bugsIn('functions/docker/upload-location.ts', `${continuing}#made for another upload`, {
    'the address of an upload needs no seal': [
      'sent.length === right.length && timingSafeEqual(sent, right) ? Number(digits) : undefined',
      'sent.length === right.length ? Number(digits) : undefined',
    ],
    'the seal of an upload does not hold its version': [
      'uploadId, contentId, image, version]))',
      'uploadId, contentId, image]))',
    ],
  }),
  ...bugsIn('functions/docker/blob-uploads.ts', `${continuing}#bytes that do not follow`, {
    'an earlier address of an upload goes on': ['if (!found.isCurrent) throw outOfOrder(call, found);', ''],
  }),
  ...bugsIn('shared/table/packages/blob-uploads.ts', `${continuing}#takes one of two`, {
    'two parts at once are both taken': [
      "...next }, if: '#version = :before', values: { ':before': version } },",
      '...next } },',
    ],
  }),
  ...bugsIn('functions/docker/readable-repository.ts', `${beginning}#may not read it`, {
    'a blob is taken over from a repository that the caller may not read': [
      'return levelOn(workspaceId, grantedTo, repositoryId, read) ? { repository, loaded } : undefined;',
      'return read && { repository, loaded };',
    ],
    'a token takes blobs over from repositories that are not its own': [
      'if (among && !among.includes(repository.repositoryId)) return undefined;',
      '',
    ],
    'a blob is taken over from a workspace of any name': [
      'if (workspaceReference !== name && workspaceReference.toLowerCase() !== workspaceId) return undefined;',
      '',
    ],
  }),
  ...bugsIn('functions/docker/blobs.ts', continuing, {
    'an upload of a blob that is there goes on': [
      'known, session?.ends)',
      'known)',
      `${continuing}#blob that the image has`,
    ],
  }),
  ...bugsIn('functions/docker/paths.ts', reading, {
    'a tag may begin with a dot': ['/^\\w[\\w.-]{0,127}$/', '/^[\\w.-]{1,128}$/', `${reading}#can be no tag`],
    'an image may have upper case letters': [
      '/^[a-z0-9]+(?:(?:\\.',
      '/^[A-Za-z0-9]+(?:(?:\\.',
      `${reading}#none of a registry`,
    ],
  }),
  ...bugsIn('shared/packages/changes/tag-items.ts', `${deleting}#as every type deletes versions`, {
    'a tag comes back with its manifest': ['isLive(version) && version.revision === tag.revision', 'isLive(version)'],
  }),
  ...bugsIn('functions/docker/listed-tags.ts', `${reading}#page by page`, {
    'a page of tags does not say that there is a next one': [
      'hasMore: limit > 0 && tags.length > limit',
      'hasMore: false',
    ],
    'a page of tags has all of them': ['tags: tags.slice(0, limit)', 'tags'],
  }),
  ...bugsIn('functions/docker/manifests.ts', `${publishing}#that the image does not have`, {
    'a manifest may name what its image does not have': [
      'if (missing.length > 0) throw',
      'if (missing.length < 0) throw',
    ],
    'a child that is deleted is good enough for an index': [
      'isLive(loaded.find(versionKey(ref, digest)))',
      'loaded.find(versionKey(ref, digest)) !== undefined',
      `${publishing}#children were deleted`,
    ],
    'a push does not mark the old blobs that its manifest names': [
      ".filter(({ usedAt = '' }) => usedAt < young)",
      '.filter(() => false)',
      'sweeps/image-sweeper#manifest that is on its way',
    ],
    'a tag moves to an index whose children were deleted': [
      '      await requireLooseFiles();\n',
      '',
      `${publishing}#were deleted since`,
    ],
    'a manifest that is there keeps its tags': [
      'return moveTags(table, target, ref, { digest, tags });',
      'return true;',
      `${publishing}#the tag moves`,
    ],
  }),
  ...bugsIn('functions/docker/index-entries.ts', `${reading}#manifests about a subject`, {
    'a manifest does not keep its blobs': [
      'neededPart([...blobs, ...children, ...elsewhere])',
      'neededPart([...children, ...elsewhere])',
      'sweeps/image-sweeper#a day after they were used last',
    ],
    'an index does not keep the blobs that it lists': [
      'neededPart([...blobs, ...children, ...elsewhere])',
      'neededPart([...blobs, ...elsewhere])',
      'sweeps/image-sweeper#of an index',
    ],
    'a manifest does not keep its layers that are also at another place': [
      'neededPart([...blobs, ...children, ...elsewhere])',
      'neededPart([...blobs, ...children])',
      'sweeps/image-sweeper#also at another place',
    ],
    'every manifest is about every other': ['if (about !== digest || described', 'if (described'],
  }),
  ...bugsIn('functions/docker/get-image-content.ts', `${reading}#manifests about a subject`, {
    'referrers of a type are those of all types': [
      'referrers.filter((each) => each.artifactType === artifactType)',
      'referrers',
    ],
    'an answer does not name its digest': [', ...digestHeader(digest) },', ' },', `${reading}#exact bytes`],
  }),
  ...bugsIn('shared/packages/loose-files/unneeded-files.ts', 'sweeps/image-sweeper#stay for a push', {
    'blobs are swept although they were used today': ['(usedAt ?? createdAt) <= old', '(usedAt ?? createdAt) !== old'],
    'blobs are swept that a manifest names': [
      'files.filter(({ file }) => !needed.has(file))',
      'files',
      'sweeps/image-sweeper#a day after they were used last',
    ],
    'an image with young blobs is not looked at again': [
      'if (unneeded.length > removed)',
      'if (unneeded.length < removed)',
    ],
  }),
  ...bugsIn('shared/table/packages/head-writes.ts', `${deleting}#from the moment before`, {
    'a DELETE wins against a manifest that is there': [
      "{ looseRemovals: 1 } },\n    equals('revision', revision),",
      '{ looseRemovals: 1 } },\n    isThere,',
    ],
    'a manifest is published although its blob was deleted': [
      'needsLooseFiles ? equals',
      'false ? equals',
      `${deleting}#before a manifest is there`,
    ],
  }),
  ...bugsIn('shared/table/packages/version-writes.ts', 'sweeps/image-sweeper#when the sweeper has chosen them', {
    'a blob is swept although it was used since it was read': ["equals('usedAt', usedAt)", 'undefined'],
  }),
  ...bugsIn('shared/packages/loose-files/loose-preparation.ts', 'sweeps/image-sweeper#swept in this hour', {
    'the sweeper hears of an image once': [
      "(head?.looseDueAt ?? '') >= looseDueDate()",
      'head?.looseDueAt !== undefined',
    ],
    'the sweeper never hears of an image': ['      leaveLooseFiles(repository, ref, dueAt),\n', ''],
  }),
  ...bugsIn('shared/table/packages/usage.ts', 'sweeps/image-sweeper#after the sweep of a deleted repository', {
    'a blob is pushed into a content that has ended': [
      "randomInt(shardCount)), usage), if: 'attribute_exists(pk)' },",
      'randomInt(shardCount)), usage) },',
    ],
  }),
  ...bugsIn('functions/docker/delete-image-content.ts', deleting, {
    'who may deploy may delete': [
      "    requireLevel(call, 'repository-manager', 'delete images, tags and blobs');\n",
      '',
      `${deleting}#who may deploy`,
    ],
    'a blob that a manifest names is deleted': [
      'neededBy(entry).includes(digest))) throw neededBlob();',
      'neededBy(entry).includes(digest)) && false) throw neededBlob();',
      `${deleting}#until that is deleted`,
    ],
    'a deletion of a manifest leaves the items of its tags': [
      '  await removeTagsOf(table, target, ref, digest);\n',
      '',
      'kills/images#a deletion of a manifest',
    ],
  }),
];
