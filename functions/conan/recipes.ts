import { ApiError } from '../../shared/errors.ts';
import { loadIndex } from '../../shared/packages/index/package-index.ts';
import { refuseUnreachable } from '../../shared/packages/serve/joined-answers.ts';
import { mappedInOrder } from '../../shared/packages/serve/ordered-map.ts';
import { originHeaders } from '../../shared/packages/serve/origin-headers.ts';
import { findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { listNames } from '../../shared/packages/serve/search.ts';
import { type FoundPackages, searchUpstreams } from '../../shared/packages/serve/upstream-search.ts';
import { isLocal } from '../../shared/packages/sources/resolution.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { Table } from '../../shared/table/client.ts';
import { contentIdOf, type LocalRepository } from '../../shared/table/repositories/repositories.ts';
import { compareTexts } from '../../shared/text-order.ts';
import { datedRecipes, recipesGate } from './gate.ts';
import { recipesOf } from './index-entries.ts';
import type { RecipePattern } from './patterns.ts';
import { isName, parseRecipe, recipeText } from './references.ts';
import { recipesIn, searchUrl } from './upstream.ts';
import { compareVersions } from './versions.ts';

/** Recipes, and the headers that say where they come from. */
interface FoundRecipes {
  readonly recipes: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** The order of Conan: by name, version, user and channel. */
const sorted = (recipes: readonly string[]): readonly string[] =>
  recipes
    .flatMap((text) => parseRecipe(text) ?? [])
    .toSorted(
      (one, other) =>
        compareTexts(one.name, other.name) ||
        compareVersions(one.version, other.version) ||
        compareTexts(recipeText(one), recipeText(other)),
    )
    .map(recipeText);

/** The recipes of one package, which a range of versions asks for. */
const ofPackage = async (call: IndexCall, sources: Sources, name: string): Promise<FoundRecipes> => {
  if (!isName(name)) return { recipes: [], headers: {} };
  try {
    const found = await findIndexes({ table: call.table, loaded: call.loaded }, sources, {
      name,
      ofLocal: ({ entries }) => recipesOf(name, entries),
      ofUpstream: (source) => datedRecipes(source, name),
      gate: recipesGate,
    });
    return { recipes: (await found.load()).flat(), headers: found.headers };
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PACKAGE_NOT_FOUND') return { recipes: [], headers: {} };
    throw error;
  }
};

/** The number of packages in whose recipes one search looks. */
const packagesMax = 500;

/** The recipes that an upstream found, by the names of their packages. */
const packagesOf = (recipes: readonly string[]): FoundPackages => {
  const byName = Map.groupBy(recipes, (recipe) => recipe.slice(0, recipe.indexOf('/')));
  return {
    packages: Array.from(byName, ([name, found]) => ({ name, object: { recipes: found } })),
    total: byName.size,
  };
};

/** The number of indexes that are read in parallel. */
const indexesAtOnce = 5;

/** The recipes of a local repository that belong to packages whose names have a beginning. Throws LIST_TOO_LONG. */
const ofLocal = async (table: Table, source: LocalRepository, prefix: string): Promise<readonly string[]> => {
  const { names, isWhole } = await listNames(table, source, { prefix, isFound: () => true });
  if (!isWhole || names.length > packagesMax)
    throw new ApiError(
      'LIST_TOO_LONG',
      `More than ${packagesMax} packages have such a name, and one search looks into no more: begin the pattern with more of the name.`,
    );
  const contentId = contentIdOf(source);
  const recipes = async (name: string): Promise<readonly string[]> =>
    readable(
      source,
      { kind: 'index', name },
      recipesOf(name, (await loadIndex(table, { contentId, name }))?.entries),
    ) ?? [];
  return (await mappedInOrder(names, recipes, indexesAtOnce)).flat();
};

/** The recipes of all packages whose names have a beginning. */
const ofNames = async (
  { table }: IndexCall,
  sources: Sources,
  { name: prefix }: RecipePattern,
  pattern: string,
): Promise<FoundRecipes> => {
  const locals: string[] = [];
  for (const source of sources.all.filter(isLocal)) locals.push(...(await ofLocal(table, source, prefix)));
  const { packages, unreachable } = await searchUpstreams(table, sources, {
    parts: pattern.split(/[^\w+.-]+/).filter((part) => part !== ''),
    names: [],
    urlOf: async (source) => searchUrl(source, pattern),
    foundIn: (answer) => packagesOf(recipesIn(answer)),
  });
  if (unreachable.length === sources.all.length) refuseUnreachable(unreachable);
  const failed = unreachable.map(({ source }) => source.name);
  const origins = sources.all.map(({ name }) => name).filter((name) => !failed.includes(name));
  return {
    recipes: [...locals, ...packages.flatMap(({ object }) => object.recipes as readonly string[])],
    headers: originHeaders({ origins, unreachable: failed }),
  };
};

/** The recipes that a pattern takes, each once, in Conan's order. Throws LIST_TOO_LONG, UPSTREAM_FAILED and UPSTREAM_TIMEOUT. */
export const findRecipes = async (
  call: IndexCall,
  sources: Sources,
  wanted: RecipePattern,
  pattern: string,
): Promise<FoundRecipes> => {
  const { recipes, headers } = wanted.isExact
    ? await ofPackage(call, sources, wanted.name)
    : await ofNames(call, sources, wanted, pattern);
  return { recipes: sorted([...new Set(recipes.filter(wanted.takes))]), headers };
};
