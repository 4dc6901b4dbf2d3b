import { bugsIn, type Mutant } from './mutant.ts';

const blockedImages = 'functions/docker/blocked-images';

export const blockedImageMutants: readonly Mutant[] = [
  ...bugsIn('functions/docker/tagged.ts', blockedImages, {
    'a blocked image has a tag': ['if (refusal) throw refusal;', ''],
    'a blocked tag hides that of a local repository': ['isOfUpstream(error) || isHeld(error)', 'isOfUpstream(error)'],
    'a blocked image is an upstream that failed': ['(isHeld(refusal) ? [] : name)', '(isHeld(refusal) ? name : name)'],
    'a verdict on a tag says nothing of it': ['[digest, tag])', '[digest])'],
    'a verdict on a digest says nothing of its tags': ['[digest, tag])', '[tag])'],
  }),
  ...bugsIn('functions/docker/releases.ts', blockedImages, {
    'a check knows no digest of a tag': ['[digest, version]', '[version]'],
  }),
  ...bugsIn('functions/packages/decisions.ts', blockedImages, {
    'checks and lists know one name of an image': ['ofType ? ofType(source, name, version) : ', ''],
  }),
  ...bugsIn('functions/packages/kept-gates.ts', blockedImages, {
    'a verdict on another name of an image is in no list': ['type.rulingOn ? wholeGateFor(advised, name) : ', ''],
    'the record of an image knows one name of it': ['?.(name) ?? [])]', '?.(name) ?? []).slice(1)]'],
    'verdicts on another name block nothing in the record of an image': [
      'rulingFor(upstream, source, open, { name, version }) ?? strictest',
      'strictest',
    ],
  }),
  ...bugsIn('functions/docker/verdicts.ts', blockedImages, {
    'an image has one name at Docker Hub': ['[image, ...docker.spelling.aliasesOf(image)]', '[image]'],
    'layers of a tag that is allowed are refused': [
      'return allowsOne && !isNamed ? undefined :',
      'return isNamed === undefined ? undefined :',
    ],
    'a blocked manifest leaves as a blob': [
      'rulingOnManifest(source, image, [digest])',
      'rulingOnManifest(source, image, [])',
    ],
    'an allowed tag opens a blocked layer': ['allowsOne && !isNamed', 'allowsOne'],
    'a repository with a blocked image is asked': [
      'all: sources.all.filter((_, at) => !refusals[at])',
      'all: sources.all',
    ],
  }),
  ...bugsIn('functions/docker/taken-over.ts', blockedImages, {
    'a blocked layer can be mounted': ['rulingOnBlob(each, from.image, digest)', 'undefined'],
  }),
  ...bugsIn('functions/docker/listed-tags.ts', blockedImages, {
    'blocked tags are listed': [
      'listed.tags.filter(isShownTag)',
      'listed.tags.filter((tag) => isShownTag(tag) || tag)',
    ],
  }),
  ...bugsIn('functions/docker/referrers.ts', blockedImages, {
    'blocked manifests are referrers': ["?.state !== 'blocked'", "?.state !== 'held'"],
  }),
  ...bugsIn('functions/docker/get-image-content.ts', blockedImages, {
    'nobody is told of a blocked manifest': [
      "throw refusal ?? new ApiError('VERSION_NOT_FOUND'",
      "throw new ApiError('VERSION_NOT_FOUND'",
    ],
    'nobody is told of a blocked layer': [
      "throw refusal ?? new ApiError('FILE_NOT_FOUND'",
      "throw new ApiError('FILE_NOT_FOUND'",
    ],
  }),
  ...bugsIn('functions/universal/get-universal-file.ts', 'functions/universal/get-universal-file-from-upstream', {
    'universal files have no verdicts': ['  releaseOf,\n});', '});'],
  }),
];
