import type { Violation } from '../../errors.ts';
import { broken, invalid, malformed } from '../formats/format-problem.ts';
import { childOf, type Element, parseDocument, textOf } from '../formats/xml.ts';
import { isPackageId } from './ids.ts';
import { normalRange, readRange } from './version-ranges.ts';
import { fullText, parseVersion } from './versions.ts';

/** The dependencies of a package on one framework; without one, on all. */
export interface DependencyGroup {
  readonly targetFramework?: string;
  readonly dependencies: readonly { readonly id: string; readonly range: string }[];
}

/** What a package says of itself, in the words of registrations. */
export interface PackageMetadata {
  readonly id: string;
  /** In its normal form, with build metadata, in the case of its publisher. */
  readonly version: string;
  readonly authors?: string;
  readonly description?: string;
  readonly title?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly iconUrl?: string;
  readonly licenseUrl?: string;
  readonly licenseExpression?: string;
  readonly projectUrl?: string;
  readonly releaseNotes?: string;
  readonly copyright?: string;
  readonly language?: string;
  readonly minClientVersion?: string;
  readonly requireLicenseAcceptance?: boolean;
  readonly packageTypes?: readonly { readonly name: string; readonly version?: string }[];
  readonly dependencyGroups?: readonly DependencyGroup[];
}

/** The fields that are texts in a nuspec and in a registration. */
export const textFields = [
  'authors',
  'description',
  'title',
  'summary',
  'iconUrl',
  'licenseUrl',
  'projectUrl',
  'releaseNotes',
  'copyright',
  'language',
] as const;

/** The maximum size of a nuspec. */
export const nuspecBytesMax = 1024 * 1024;

/** Reads a nuspec, whatever the namespace of its year. Throws the problem of one that clients could not read. */
export const readNuspec = (bytes: Uint8Array): PackageMetadata => {
  const root = parseDocument(bytes, 'The nuspec of the package', nuspecBytesMax, 'by local names');
  const metadata = root.name === 'package' ? childOf(root, 'metadata') : undefined;
  if (!metadata) throw malformed('The nuspec of the package must have the elements package and metadata.');
  const [id = '', sent = ''] = [textOf(metadata, 'id'), textOf(metadata, 'version')];
  const version = parseVersion(sent);
  const violations = problemsOf(metadata, id, version !== undefined);
  if (violations.length > 0 || !version) throw invalid(violations);
  const license = childOf(metadata, 'license');
  const { minClientVersion } = metadata.attributes;
  return {
    id,
    version: fullText(version),
    ...textsIn(metadata),
    ...optional('tags', textOf(metadata, 'tags')?.split(/[\s,]+/)),
    ...(license?.attributes.type === 'expression' && { licenseExpression: license.text }),
    ...optional('minClientVersion', minClientVersion),
    ...(textOf(metadata, 'requireLicenseAcceptance') === 'true' && { requireLicenseAcceptance: true }),
    ...optional('packageTypes', childOf(metadata, 'packageTypes')?.elements.map(packageTypeOf)),
    ...optional('dependencyGroups', groupsIn(childOf(metadata, 'dependencies'))),
  };
};

const problemsOf = (metadata: Element, id: string, hasVersion: boolean): Violation[] => {
  const violations: Violation[] = [];
  if (!isPackageId(id))
    violations.push(
      broken(
        ['id'],
        'name',
        "The id of a package has at most 100 ASCII letters, digits and '_', with single '.' and '-' between them.",
      ),
    );
  if (!hasVersion)
    violations.push(
      broken(
        ['version'],
        'version',
        'The version must have one to four numbers, such as 1.0.0 or 1.0.0-beta.1, and at most 100 characters.',
      ),
    );
  for (const field of ['authors', 'description'])
    if (textOf(metadata, field) === undefined)
      violations.push(broken([field], 'required', `The nuspec must have ${field}: clients refuse a package without.`));
  return violations;
};

const optional = <Name extends string, T>(name: Name, value: T | undefined): { readonly [K in Name]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: T };

const textsIn = (metadata: Element): Pick<PackageMetadata, (typeof textFields)[number]> =>
  Object.fromEntries(
    textFields.flatMap((field) => {
      const text = textOf(metadata, field);
      return text === undefined ? [] : [[field, text]];
    }),
  );

const packageTypeOf = ({ attributes: { name = '', version } }: Element) => ({ name, ...optional('version', version) });

const dependencyOf = ({ attributes: { id = '', version } }: Element) => ({ id, range: normalRange(version) });

const groupOf = ({ attributes: { targetFramework }, elements }: Element): DependencyGroup => ({
  ...optional('targetFramework', targetFramework),
  dependencies: elements.filter(isDependency).map(dependencyOf),
});

const isDependency = ({ name, attributes: { id = '' } }: Element): boolean => name === 'dependency' && isPackageId(id);

/** Dependencies stand in groups, or, in old packages, without any. */
const groupsIn = (dependencies: Element | undefined): readonly DependencyGroup[] | undefined => {
  if (!dependencies) return undefined;
  const groups = dependencies.elements.filter(({ name }) => name === 'group').map(groupOf);
  const loose = groupOf({ ...dependencies, attributes: {} });
  return loose.dependencies.length > 0 ? [loose, ...groups] : groups;
};

/**
 * Refuses a nuspec with a dependency that NuGet could not read, or could never find. This is for publishing alone: packages of earlier
 * releases may have such.
 */
export const requireDependencies = (bytes: Uint8Array): void => {
  const root = parseDocument(bytes, 'The nuspec of the package', nuspecBytesMax, 'by local names');
  const { elements = [] } = childOf(childOf(root, 'metadata') ?? root, 'dependencies') ?? {};
  for (const each of elements.flatMap((child) => (child.name === 'group' ? child.elements : [child])))
    if (each.name === 'dependency') requireDependency(each);
};

/** An ID as NuGet takes it, which knows more letters than this service and the public gallery. */
const idOfNuGet = /^[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*$/u;

const requireDependency = ({ attributes: { id = '', version = '' } }: Element): void => {
  if (!idOfNuGet.test(id)) throw badDependency('id', `'${id.slice(0, 100)}', which is no ID of a package.`);
  if (readRange(version) !== undefined) return;
  const named = `'${version.slice(0, 100)}' of ${id}`;
  throw badDependency(
    'version',
    `${named}, which is no range of versions: it must be one such as 1.0.0, [1.0,2.0) or [1.0].`,
  );
};

const badDependency = (attribute: string, what: string) =>
  invalid([broken(['dependencies'], attribute, `The nuspec depends on ${what}`)]);
