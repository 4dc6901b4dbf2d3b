import type { UpstreamDocuments } from '../../shared/packages/fetch/joined-documents.ts';
import {
  documentKeys,
  type LoadedDocument,
  loadDocument,
  type UpstreamDocument,
} from '../../shared/packages/fetch/remote-documents.ts';
import { askedRelease, datedList } from '../../shared/packages/gate/dated-lists.ts';
import type { ReleaseOf } from '../../shared/packages/gate/gated-file.ts';
import type { IndexGate } from '../../shared/packages/gate/gated-index.ts';
import {
  listedReleases,
  type PackageReleases,
  type VersionReleases,
} from '../../shared/packages/gate/version-releases.ts';
import { countedFrom, millisecondsOf, type Release } from '../../shared/packages/releases/gate-of.ts';
import { decisionOn, gateFor, heldBy, isEnforced, type OpenGate } from '../../shared/packages/releases/open-gate.ts';
import type { FileAddress } from '../../shared/packages/sources/resolution.ts';
import type { FetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import type { ListedRevision } from './index-entries.ts';
import type { ConanPath } from './paths.ts';
import { type ConanReference, hasRevision, parseRecipe, recipeText, revisionOf, versionOf } from './references.ts';
import { revisionsIn, upstreamDocument, upstreamRecipes } from './upstream.ts';
import { compareVersions } from './versions.ts';

/** The revision of a recipe, or that of a binary, with this ID. */
const withRevision = (reference: ConanReference, revision: string): ConanReference =>
  reference.packageId === undefined
    ? { ...reference, recipeRevision: revision }
    : { ...reference, packageRevision: revision };

/** What has revisions of which one is named: a recipe, or a binary. */
const ownerOf = (reference: ConanReference): ConanReference =>
  reference.packageId === undefined
    ? { ...reference, recipeRevision: undefined }
    : { ...reference, packageRevision: undefined };

const recipeOf = (reference: ConanReference): ConanReference => ({
  ...reference,
  packageId: undefined,
  packageRevision: undefined,
});

/** A document with revisions, which remembers since when it has those that say no time. */
export const revisionsDocument = <A>(
  document: UpstreamDocument<A>,
  revisionsOf: (answer: A) => readonly ListedRevision[],
): UpstreamDocument<A> => ({
  ...document,
  releases: (answer) =>
    revisionsOf(answer).map(({ revision, time }) => ({
      id: revision,
      version: revision,
      publishedAt: millisecondsOf(time),
    })),
});

/** The revisions that an upstream lists, by their IDs. */
const listed = async (
  request: FetchRequest,
  source: RemoteRepository,
  reference: ConanReference,
): Promise<readonly Release[]> => {
  const path: ConanPath = { reference, wanted: 'revisions', file: '' };
  const document = revisionsDocument(upstreamDocument(source, path, revisionsIn), (revisions = []) => revisions);
  return listedReleases(await loadDocument(request, source, document), document.releases);
};

/** When a revision of a binary counts as published: as long as its recipe is held back, it is, too. */
const withRecipe = (source: RemoteRepository, name: string, binary: Release, recipe: Release): Release => {
  const open = gateFor(source, name);
  if (!open?.gate || !heldBy(open, name, recipe)) return binary;
  const [own, ofRecipe] = [countedFrom(binary, open.gate), countedFrom(recipe, open.gate)];
  const publishedAt = own === undefined || ofRecipe === undefined ? undefined : Math.max(own, ofRecipe);
  return { ...binary, publishedAt };
};

/** The release of a revision that an upstream lists. */
export const releaseOfRevision = async (
  request: FetchRequest,
  source: RemoteRepository,
  reference: ConanReference,
): Promise<Release | undefined> => {
  const { name, recipeRevision, packageId, packageRevision } = reference;
  const wanted = packageId === undefined ? recipeRevision : packageRevision;
  const found = (await listed(request, source, ownerOf(reference))).find(({ id }) => id === wanted);
  if (!found) return undefined;
  const release = { ...found, id: versionOf(reference), version: versionOf(reference) };
  if (packageId === undefined) return release;
  const recipe = await releaseOfRevision(request, source, recipeOf(reference));
  return recipe && withRecipe(source, name, release, recipe);
};

/** What an upstream says of the revision in a path. */
export const releaseOf: ReleaseOf<FileAddress & ConanPath> = async (request, source, { reference }) =>
  releaseOfRevision(request, source, reference);

/** The releases of revisions, whenever they were published. */
export const namedRevisions = (reference: ConanReference, revisions: readonly ListedRevision[]): readonly Release[] =>
  revisions.map(({ revision }) => ({ id: revision, version: versionOf(withRevision(reference, revision)) }));

/** The releases of revisions, given by their IDs, in an answer about what has them. */
export const releasesOfRevisions = async (
  request: FetchRequest,
  source: RemoteRepository,
  reference: ConanReference,
  revisions: readonly Release[],
): Promise<readonly Release[]> => {
  const recipe =
    reference.packageId === undefined ? undefined : await releaseOfRevision(request, source, recipeOf(reference));
  return revisions.map((revision) => {
    const release = { ...revision, version: versionOf(withRevision(reference, revision.id)) };
    return recipe ? withRecipe(source, reference.name, release, recipe) : release;
  });
};

/** A document of an upstream with the releases that it is about, for a gate. */
export const withReleases = <A>(
  source: RemoteRepository,
  document: UpstreamDocument<A>,
  releases: (request: FetchRequest, loaded: LoadedDocument<A>) => Promise<readonly Release[]>,
): UpstreamDocuments<A> => ({
  keys: documentKeys(source, document),
  load: async (request) => {
    const loaded = await loadDocument(request, source, document);
    return loaded && source.releaseGate ? { ...loaded, releases: await releases(request, loaded) } : loaded;
  },
});

/** When there was a revision of a recipe that passes; or else when there was one, if any says so. */
const recipeTime = async (
  request: FetchRequest,
  source: RemoteRepository,
  recipe: ConanReference,
): Promise<number | undefined> => {
  const revisions = await listed(request, source, recipe);
  const releases = await releasesOfRevisions(request, source, recipe, revisions);
  const open = gateFor(source, recipe.name);
  if (!open?.gate || releases.some((release) => !heldBy(open, recipe.name, release))) return 0;
  const { gate } = open;
  const times = releases.flatMap((release) => countedFrom(release, gate) ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
};

/** The version, the user and the channel of a recipe, as Conan writes it. */
const versionIn = (recipe: string): string => recipe.slice(recipe.indexOf('/') + 1);

/**
 * The version by which a recipe is judged. Where a verdict names one of its revisions, that is a revision that passes, or else one that
 * is blocked: a recipe without any that passes is missing in lists.
 */
const judgedVersion = async (
  request: FetchRequest,
  source: RemoteRepository,
  open: OpenGate,
  recipe: ConanReference,
): Promise<string> => {
  const version = versionOf(recipe);
  const isRuled = open.verdicts.some(({ versions }) =>
    versions.some((entry) => hasRevision(version, revisionOf(entry) ?? entry)),
  );
  if (!isRuled) return version;
  const releases = await releasesOfRevisions(request, source, recipe, await listed(request, source, recipe));
  const decided = releases.map((release) => ({ release, decision: decisionOn(open, recipe.name, release) }));
  const judged =
    decided.find(({ decision }) => decision.state === 'passes' || !isEnforced(open, decision)) ??
    decided.find(({ decision }) => decision.state === 'blocked');
  return judged?.release.version ?? version;
};

/** The recipes of a package at an upstream, where a gate or verdicts may hold some back with their releases. */
export const datedRecipes = (source: RemoteRepository, name: string): UpstreamDocuments<readonly string[]> => {
  const document = upstreamRecipes(source, name);
  return {
    keys: documentKeys(source, document),
    load: async (request) => {
      const loaded = await loadDocument(request, source, document);
      const open = gateFor(source, name);
      if (!loaded || !open) return loaded;
      const recipes = (await loaded.read()).flatMap((text) => parseRecipe(text) ?? []);
      const sorted = recipes.toSorted((one, other) => compareVersions(other.version, one.version));
      const byText = new Map(sorted.map((recipe) => [recipeText(recipe), recipe]));
      const texts = [...byText.keys()];
      const recipeOfText = (text: string) => byText.get(text) as ConanReference;
      const dated =
        open.gate &&
        (await datedList(loaded, texts, async (text) =>
          askedRelease(text, await recipeTime(request, source, recipeOfText(text)), loaded.times),
        ));
      const releases = dated?.releases ?? untimedReleases(texts);
      const judged = releases.map(async (release) => ({
        ...release,
        version: await judgedVersion(request, source, open, recipeOfText(release.id)),
      }));
      return { ...loaded, releases: await Promise.all(judged) };
    },
  };
};

/** The recipes in a list, which says no times. */
const untimedReleases = (recipes: readonly string[]): readonly Release[] =>
  recipes.map((recipe) => ({ id: recipe, version: versionIn(recipe) }));

/** How the recipes of a package lose those of which a gate holds all revisions back. */
export const recipesGate: IndexGate<readonly string[]> = {
  releases: untimedReleases,
  without: (recipes, held) => recipes.filter((recipe) => !held.has(recipe)),
};

/** The reference that a name and a version with its user, channel and revisions are; undefined if they are none. */
const referenceOf = (name: string, version: string): ConanReference | undefined => {
  const [recipe = '', binary] = version.split(':');
  const [base = '', recipeRevision] = recipe.split('#');
  const [packageId, packageRevision] = binary?.split('#') ?? [];
  const reference = parseRecipe(`${name}/${base}`);
  return reference && { ...reference, recipeRevision, packageId, packageRevision };
};

/** What an upstream says of a revision, or of all revisions of a recipe that is named without one. */
export const versionReleases: VersionReleases = async (request, source, { name, version }) => {
  const reference = referenceOf(name, version);
  if (!reference) return [];
  if (reference.recipeRevision === undefined)
    return releasesOfRevisions(request, source, reference, await listed(request, source, reference));
  const release = await releaseOfRevision(request, source, reference);
  return release ? [release] : [];
};

/** What an upstream says of all recipes of a package. */
export const packageReleases: PackageReleases = async (request, source, name) =>
  listedReleases(await datedRecipes(source, name).load(request, source), untimedReleases);
