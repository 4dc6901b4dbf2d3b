/**
 * A recipe, a revision of it, or a revision of a binary of it, by the parts of its reference
 * (docs.conan.io, "Package naming and references"): `name/version@user/channel#recipeRevision:packageId#packageRevision`.
 */
export interface ConanReference {
  readonly name: string;
  readonly version: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  readonly recipeRevision?: string | undefined;
  readonly packageId?: string | undefined;
  readonly packageRevision?: string | undefined;
}

const partLengthMax = 101;

/** Whether a text can be the name of a package. Clients of Conan 2 take names in lower case. */
export const isName = (text: string): boolean => /^[a-z0-9_][a-z0-9_+.-]{1,100}$/.test(text);

const isVersion = (text: string): boolean => text.length <= partLengthMax && /^\w[\w+.-]*$/.test(text);

/** Whether a text can be a revision, or the ID of a binary: a hash, or what a version control system calls a commit. */
export const isRevision = (text: string): boolean => /^[0-9A-Za-z]{1,64}$/.test(text);

/** What stands in a path for a user, or for a channel, that there is none of. */
const none = '_';

/** The reference of a recipe by the four segments of a path; undefined if they are none. */
export const recipeIn = ([name = '', version = '', user = '', channel = '']: readonly string[]):
  | ConanReference
  | undefined => {
  const isNamed = isName(name) && isVersion(version) && [user, channel].every((part) => part === none || isName(part));
  // Nobody has a channel without a user.
  if (!isNamed || (user === none && channel !== none)) return undefined;
  return { name, version, ...(user !== none && { user }), ...(channel !== none && { channel }) };
};

/** The four segments of a recipe in a path. */
export const segmentsOf = ({ name, version, user = none, channel = none }: ConanReference): readonly string[] => [
  name,
  version,
  user,
  channel,
];

/** The version, the user and the channel, as Conan writes them behind the name. */
const baseOf = ({ version, user, channel }: ConanReference): string =>
  version + (user === undefined ? '' : `@${user}`) + (channel === undefined ? '' : `/${channel}`);

/** The recipe as Conan writes it, without a revision. */
export const recipeText = (reference: ConanReference): string => `${reference.name}/${baseOf(reference)}`;

/** Parses a recipe without a revision, as Conan writes it; undefined if it is none. */
export const parseRecipe = (text: string): ConanReference | undefined => {
  const [recipe = '', place] = text.split('@');
  const [user, channel = none] = place?.split('/') ?? [none];
  const reference = recipeIn([...recipe.split('/'), user ?? none, channel]);
  return reference && [recipeText(reference), `${recipeText(reference)}@_/_`].includes(text) ? reference : undefined;
};

/** The name that a revision has as a version of its package: its reference without the name. */
export const versionOf = (reference: ConanReference): string => {
  const { recipeRevision, packageId, packageRevision } = reference;
  const ofPackage = packageId === undefined ? '' : `:${packageId}${packageRevision ? `#${packageRevision}` : ''}`;
  return `${baseOf(reference)}${recipeRevision === undefined ? '' : `#${recipeRevision}`}${ofPackage}`;
};

const revisionText = /^[\w+.-]+(?:@[\w+.-]+(?:\/[\w+.-]+)?)?(?:#\w+(?::\w+(?:#\w+)?)?)?$/;

/**
 * A version, or a revision of it or of a binary; undefined if the text is none. The signs of Conan for no user and no channel are not part
 * of a revision. A version keeps them: without them, it is one with any user and channel.
 */
export const revisionOf = (text: string): string | undefined => {
  const version = text.replace(/@(?:_\/_)?(?=#)/, '').replace(/@$/, '@_/_');
  return revisionText.test(version) ? version : undefined;
};

/** Whether a version has a revision: what belongs to it has more behind `#`, `:` and `#` again. */
export const hasRevision = (version: string, other: string): boolean =>
  other.startsWith(`${version}${version.includes('#') && !version.includes(':') ? ':' : '#'}`);

/** Whether a version stands for another one with what belongs to it: for each of its revisions, and with a user and a channel, too. */
export const coversRevision = (version: string, other: string): boolean => {
  const base = version.replace(/@_\/_$/, '');
  return other === base || hasRevision(base, other) || (!/[@#]/.test(version) && other.startsWith(`${version}@`));
};
