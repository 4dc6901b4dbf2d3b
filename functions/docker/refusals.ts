import { ApiError } from '../../shared/errors.ts';

/** The rules whose violations clients of registries know by codes of their own. */
export type ImageRule = 'digest' | 'known' | 'unneeded';

/** The refusal of what breaks a rule, with its sentence. */
const broken = (rule: ImageRule, message: string): ApiError =>
  new ApiError('PACKAGE_INVALID', message, [{ pointer: '', rule, message }]);

/** The refusal of a digest. */
export const invalidDigest = (
  sentence = 'A digest must be sha256: and 64 hexadecimal digits in lower case. Other algorithms are not taken.',
): ApiError => broken('digest', sentence);

const shownMax = 10;

/** The refusal of a manifest that names what its image does not have. */
export const unknownContent = (digests: readonly string[]): ApiError => {
  const rest = digests.length - shownMax;
  const shown = digests.slice(0, shownMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
  return broken('known', `The image does not have ${shown}, which the manifest names: push that first.`);
};

/** The refusal to delete a blob that a manifest names. */
export const neededBlob = (): ApiError =>
  broken(
    'unneeded',
    'A manifest of the image names this blob: delete the manifest, and a day later the blob goes too.',
  );
