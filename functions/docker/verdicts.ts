import type { ApiError } from '../../shared/errors.ts';
import type { Decision } from '../../shared/packages/releases/gate-of.ts';
import { heldError } from '../../shared/packages/releases/open-gate.ts';
import {
  decisionOf,
  isAboutAll,
  isAboutVersion,
  verdictsOn,
  weightiest,
} from '../../shared/packages/releases/rulings.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { RemoteSource, Verdict } from '../../shared/table/repositories/verdicts.ts';
import { docker } from './type.ts';

/** The verdicts on an image, by any of the names that it has at Docker Hub. */
const verdictsOnImage = ({ verdicts }: RemoteSource, image: string): readonly Verdict[] => {
  if (!verdicts) throw new Error('The verdicts on images were not read with their repository.');
  const names = [image, ...docker.spelling.aliasesOf(image)];
  return [...new Set(names.flatMap((name) => verdictsOn(verdicts, name, Date.now())))];
};

/** What the verdicts say of a manifest by its digest, a tag, or both; undefined if they say nothing of it. */
export const rulingOnManifest = (
  source: RemoteSource,
  image: string,
  references: readonly string[],
): Decision | undefined => {
  const verdict = weightiest(
    verdictsOnImage(source, image).filter(
      (each) =>
        isAboutAll(each) || references.some((reference) => isAboutVersion(each, reference, source.versionSpelling)),
    ),
  );
  return verdict && decisionOf(verdict);
};

/**
 * What they say of a blob: one that names its digest decides, because a manifest may be had as a blob. Any other blob leaves as long as
 * one manifest of the image may.
 */
export const rulingOnBlob = (source: RemoteSource, image: string, digest: string): Decision | undefined => {
  const exact = verdictsOnImage(source, image).filter((each) => !isAboutAll(each));
  const isNamed = exact.some((each) => isAboutVersion(each, digest, source.versionSpelling));
  const allowsOne = exact.some(({ verdict }) => verdict === 'allow');
  return allowsOne && !isNamed ? undefined : rulingOnManifest(source, image, [digest]);
};

/** VERSION_BLOCKED, if a verdict blocks what a client calls so; undefined if it does not. */
export const refusalOf = (
  { name: repository }: RemoteSource,
  image: string,
  version: string,
  held: Decision | undefined,
): ApiError | undefined =>
  held?.state === 'blocked'
    ? heldError({ name: image, release: { id: version, version }, held, repository })
    : undefined;

/** Sources without those in which a verdict blocks something, and the refusal of the first of these. */
export const unblocked = (
  sources: Sources,
  image: string,
  reference: string,
  rule: (source: RemoteSource) => Decision | undefined,
) => {
  const refusals = sources.all.map((source) =>
    isRemote(source) ? refusalOf(source, image, reference, rule(source)) : undefined,
  );
  return {
    sources: { ...sources, all: sources.all.filter((_, at) => !refusals[at]) },
    refusal: refusals.find((each) => each !== undefined),
  };
};
