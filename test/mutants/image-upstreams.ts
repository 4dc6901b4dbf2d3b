import { bugsIn, type Mutant } from './mutant.ts';

const fetching = 'functions/docker/get-image-content-from-upstream';
const throughVirtual = 'functions/docker/push-through-virtual';
const retagging = 'functions/docker/retagged-images';

/** Bugs in what remote and virtual repositories of images ask other registries. */
export const imageUpstreamMutants: readonly Mutant[] = [
  ...bugsIn('functions/docker/upstream.ts', fetching, {
    'the tags of an upstream end with its first answer': [
      'next: found.next ?? following',
      'next: following',
      `${fetching}#tags of an upstream that sends few of them at once`,
    ],
    'the tags of an upstream end with an answer without any': [
      'if (!loaded || !found) return',
      'if (!loaded || !found?.tags.length) return',
      `${fetching}#none of them at first`,
    ],
    'a page of tags is asked for again': [' && !asked.has(query)', '', `${fetching}#asks for no page of tags twice`],
    'a link to the next page says nothing before that': [
      '.some(isRelNext)',
      '.slice(0, 1).some(isRelNext)',
      'functions/docker/upstream#goes on',
    ],
    'a tag is asked for with GET': [
      '    isInHeaders: (headers) => digestInHeaders(headers) !== undefined,\n',
      '',
      `${fetching}#pulls once`,
    ],
    'a manifest of an upstream may have any bytes': [
      '  accept,\n  expected: { sha256: hexOf(digest) },\n',
      '  accept,\n',
      `${fetching}#other bytes than the digest says`,
    ],
    'a blob of an upstream may have any bytes': [
      '  mediaType: fileMediaType,\n  expected: { sha256: hexOf(digest) },\n',
      '  mediaType: fileMediaType,\n',
      `${fetching}#other bytes than the digest says`,
    ],
    'the path of a remote URL is not part of the name': [
      '`${url.origin}/v2${prefix}/${name}`',
      '`${url.origin}/v2/${name}`',
      `${fetching}#path of its URL`,
    ],
    'an own image of Docker Hub has the name that was asked for': [
      "isHub && prefix === '' && !image.includes('/')",
      'false',
      'functions/docker/upstream',
    ],
  }),
  ...bugsIn('functions/docker/upstream-referrers.ts', `${fetching}#lists the referrers`, {
    'the referrers of an upstream end with its first answer': [
      ', next: nextQuery(headers.link, url) }',
      ', next: undefined }',
    ],
  }),
  ...bugsIn('shared/packages/serve/file-download.ts', `${fetching}#says the digest of what it passes on`, {
    'what is passed on has no headers of the file': [
      "headers: { ...headersFor('miss'), ...serving.headers }",
      "headers: headersFor('miss')",
    ],
  }),
  ...bugsIn('shared/packages/upstream/own-media-type.ts', `${fetching}#by what it says itself`, {
    'a manifest of any media type is one of an image': [
      'if (!found) throw',
      "if (!found) return 'application/json';\n    if (!found) throw",
    ],
    'an index that names no media type is a manifest': [
      '.find(([member]) => member in document)',
      '.findLast(([member]) => member in document || member)',
    ],
    'the media type that a manifest names counts for nothing': [
      'own === undefined\n',
      "own === undefined || own !== ''\n",
    ],
  }),
  ...bugsIn('shared/packages/fetch/worker-fetch.ts', 'functions/fetcher#the media type that it names itself', {
    'the worker keeps a manifest with any media type': [
      '{ ...typed(upstream), ...(address',
      '{ ...upstream, ...(address',
    ],
    'the worker stages a manifest with any media type': ['...typed(event.upstream)', '...event.upstream'],
  }),
  ...bugsIn('functions/docker/tagged.ts', `${fetching}#takes the first child`, {
    'the last child of a virtual repository has the tag': [
      'answeringSources(sources, image, call.loaded), async',
      'answeringSources(sources, image, call.loaded).toReversed(), async',
      `${fetching}#in their order`,
    ],
    'an upstream is asked for a name that is held here': [
      'answeringSources(sources, image, call.loaded), async',
      'sources.all, async',
    ],
  }),
  ...bugsIn('functions/docker/from-upstreams.ts', `${fetching}#names those that fail`, {
    'an upstream that fails fails its siblings': [
      'if (isAlone && found.length === 0) refuseUnreachable(unreachable);',
      'refuseUnreachable(unreachable);',
    ],
    'an upstream that fails has nothing': ['if (isAlone && found.length === 0) refuseUnreachable(unreachable);', ''],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', `${fetching}#gets a token`, {
    'who limits requests for tokens is asked again': [
      'if (message.statusCode === 429) return message;',
      '',
      `${fetching}#where tokens are`,
    ],
    'a registry that wants a token gets none': ['if (!challenge) return message;', 'return message;'],
    'a token is asked for without the credentials': [
      'const message = await this.send(target, ask, credential);',
      'const message = await this.send(target, ask, undefined);',
    ],
    'a token is asked for anywhere': [
      'const target = targetOf(challenge.realm, { url, status: 401 }, this.rules);',
      'const realm = new URL(challenge.realm);\n    const target = { url: realm, host: realm.hostname, status: url.port };',
      'shared/upstream/registry-tokens',
    ],
  }),
  ...bugsIn('shared/upstream/registry-tokens.ts', `${fetching}#for a token for each image`, {
    'a token for one image is sent for another': [
      "origin + pathname.replace(/\\/(?:manifests|blobs|tags|referrers)\\/.*$/, '')",
      'origin.slice(0, origin.length + pathname.length)',
    ],
  }),
  ...bugsIn('shared/packages/sources/resolution.ts', `${throughVirtual}#do not hide the image`, {
    'a blob of a push that ended early makes its name a local one': [
      'wasPublished(loaded.find(key))',
      'loaded.find(key) !== undefined',
    ],
  }),
  ...bugsIn('functions/packages/listing.ts', `${throughVirtual}#do not hide the image`, {
    'the list of packages has no image of an upstream after a push that ended early': [' && !entry.isUnpublished', ''],
  }),
  ...bugsIn('shared/packages/loose-files/loose-preparation.ts', `${throughVirtual}#ever had an image`, {
    'a blob takes the name from an emptied repository': ['earlierContents.size > 0', 'earlierContents.size < 0'],
  }),
  ...bugsIn('shared/table/packages/packages.ts', `${throughVirtual}#ever had an image`, {
    'a deleted image leaves its name to upstreams': [
      'head?.looseAt !== head?.revision',
      'head !== undefined && head.looseAt === undefined',
    ],
  }),
  ...bugsIn('functions/docker/fetched-content.ts', `${retagging}#what the upstream lacks`, {
    'a push fetches what a blocked manifest names': [
      'findFiles(call.table, sources, manifestAddress',
      'findFiles(call.table, { ...from.sources, all: remotes }, manifestAddress',
    ],
    'a push asks upstreams for the name of a local child': [
      '(await answeringFor(call.table, sources, image)).remotes.filter(isKeeping)',
      'sources.all.filter(isRemote).filter(isKeeping)',
    ],
    'a push takes a manifest of an index over before all that the others name is there': [
      'missing.push(...(await missingOf(search, child, manifest, named.lacking)));',
      '',
      `${retagging}#FILE_PENDING`,
    ],
  }),
  ...bugsIn('functions/docker/publish-image-content.ts', `${retagging}#all of the image`, {
    'a push fetches nothing of what a manifest from an upstream names': [
      'await fetchContent(call, target, { image, digest, manifest })',
      'false',
    ],
  }),
];
