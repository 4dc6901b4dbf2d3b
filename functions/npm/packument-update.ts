import type { Violation } from '../../shared/errors.ts';
import { broken, invalid } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject, textsOf } from '../../shared/packages/formats/json-objects.ts';
import { nameViolations, tagViolation } from './publish-body.ts';
import { isTag } from './tags.ts';

/** A tag, where the client wants it, and where it was when the client read the document, if the client says that. */
export interface ChangedTag {
  readonly tag: string;
  readonly version: string;
  readonly before?: string | undefined;
}

/** The change that a PUT of a packument without attachments requests. */
export type PackumentUpdate =
  /** `npm deprecate` and the first step of `npm unpublish` send the whole document back. */
  | {
      readonly kind: 'versions';
      readonly versions: ReadonlySet<string>;
      /** Deprecation messages by version. An empty message ends a deprecation, and absent versions stay as they are. */
      readonly deprecations: ReadonlyMap<string, string>;
      /** The versions of other repositories than the client writes to whose deprecations it changed. */
      readonly deprecatedElsewhere: readonly string[];
      /** The tags that the client changed. */
      readonly tags: readonly ChangedTag[];
    }
  /** `npm star` and `npm unstar`. */
  | { readonly kind: 'stars' }
  /** `npm owner`. */
  | { readonly kind: 'maintainers' };

/** Parses a PUT of a packument that publishes nothing. */
export const parsePackumentUpdate = (body: JsonObject, name: string): PackumentUpdate => {
  const violations = nameViolations(body, name);
  const update = readUpdate(body, violations);
  if (violations.length > 0 || !update) throw invalid(violations);
  return update;
};

const readUpdate = (body: JsonObject, violations: Violation[]): PackumentUpdate | undefined => {
  const { versions, users, maintainers } = body;
  if (isObject(versions)) {
    const deprecations = deprecationsOf(versions);
    return {
      kind: 'versions',
      versions: new Set(Object.keys(versions)),
      deprecations,
      deprecatedElsewhere: changedElsewhere(body, deprecations),
      tags: readTags(body, violations),
    };
  }
  if (isObject(users)) return { kind: 'stars' };
  if (Array.isArray(maintainers)) return { kind: 'maintainers' };
  violations.push(broken([], 'update', 'The body must contain versions, or attachments to publish.'));
  return undefined;
};

/**
 * Values that are not texts come from a publication. A client that changes another version sends them back, and they
 * mean nothing.
 */
const deprecationsOf = (versions: JsonObject): Map<string, string> =>
  new Map(
    Object.entries(versions).flatMap(([version, manifest]) => {
      const deprecated = isObject(manifest) ? manifest.deprecated : undefined;
      return typeof deprecated === 'string' ? [[version, deprecated] as const] : [];
    }),
  );

const changedElsewhere = (
  { _readElsewhere: read }: JsonObject,
  deprecations: ReadonlyMap<string, string>,
): readonly string[] =>
  textsOf(read)
    .filter(([version, before]) => (deprecations.get(version) ?? before) !== before)
    .map(([version]) => version);

const readTags = ({ 'dist-tags': tags, _readTags: read }: JsonObject, violations: Violation[]): ChangedTag[] => {
  const before = new Map(textsOf(read));
  const entries = textsOf(tags);
  for (const [tag] of entries) if (!isTag(tag)) violations.push(tagViolation(['dist-tags', tag], tag));
  return entries
    .map(([tag, version]) => ({ tag, version, before: before.get(tag) }))
    .filter(({ version, before: known }) => version !== known);
};

/** The known versions that an update leaves out. */
export const removedVersions = ({ versions }: { versions: ReadonlySet<string> }, known: Iterable<string>): string[] =>
  [...known].filter((version) => !versions.has(version));
