import { definitionOf } from '../../functions/package-definitions.ts';
import { type PackageType, packageTypes } from '../../shared/package-types.ts';
import { canMatch, type NameSpelling, normalRules, upstreamEntry } from '../../shared/packages/sources/name-rules.ts';
import { isBlocked } from '../../shared/packages/sources/sources.ts';

const spellingFor = (packageType: PackageType): NameSpelling => definitionOf(packageType).spelling;

/** The normal form of an entry; undefined if it is refused. */
const understood = (packageType: PackageType, entry: string): string | undefined => {
  const spelling = spellingFor(packageType);
  const normal = upstreamEntry(spelling, entry);
  return canMatch(spelling, normal) ? normal : undefined;
};

const accepted: Readonly<Record<PackageType, readonly (readonly [entry: string, normal: string])[]>> = {
  npm: [
    ['@acme/*', '@acme/*'],
    ['@Acme/*', '@acme/*'],
    ['JSONStream', 'jsonstream'],
    ['@*', '@*'],
    ['@acme*', '@acme*'],
  ],
  pypi: [
    ['Acme_*', 'acme-*'],
    ['acme.*', 'acme-*'],
    ['My__Pkg', 'my-pkg'],
    ['acme', 'acme'],
  ],
  cargo: [
    ['Acme_Core', 'acme-core'],
    ['acme_*', 'acme-*'],
  ],
  composer: [
    ['Acme/App', 'acme/app'],
    ['ACME/*', 'acme/*'],
    ['acme*', 'acme*'],
  ],
  conan: [
    ['acme*', 'acme*'],
    ['acme', 'acme'],
    ['acme_core', 'acme_core'],
  ],
  docker: [
    ['acme/*', 'acme/*'],
    ['nginx', 'nginx'],
    ['library/nginx', 'library/nginx'],
    ['acme-*', 'acme-*'],
  ],
  debian: [
    ['acme-tool', 'acme-tool'],
    ['acme-*', 'acme-*'],
  ],
  rpm: [
    ['Acme_Tool', 'Acme_Tool'],
    ['acme-*', 'acme-*'],
  ],
  gems: [
    ['Acme_Tool', 'acme-tool'],
    ['acme_*', 'acme-*'],
    ['acme.*', 'acme.*'],
  ],
  go: [
    ['corp.example/*', 'corp.example/*'],
    ['corp.example*', 'corp.example*'],
    ['corp*', 'corp*'],
    ['github.com/Acme/x', 'github.com/Acme/x'],
  ],
  helm: [
    ['acme-*', 'acme-*'],
    ['Web', 'Web'],
  ],
  maven: [
    ['org.acme:*', 'org.acme:*'],
    ['org.acme*', 'org.acme*'],
    ['org.*', 'org.*'],
    ['org.acme:app', 'org.acme:app'],
  ],
  nuget: [
    ['Acme.*', 'acme.*'],
    ['Acme.Logging', 'acme.logging'],
    ['ACME*', 'acme*'],
  ],
  chocolatey: [
    ['Acme.*', 'acme.*'],
    ['Acme.Tool', 'acme.tool'],
    ['ACME*', 'acme*'],
  ],
  universal: [
    ['tools/*', 'tools/*'],
    ['tools/formatter', 'tools/formatter'],
    ['Tool', 'Tool'],
  ],
};

const refused: Readonly<Record<PackageType, readonly string[]>> = {
  npm: ['acme/tool', '@acme/', '.acme*', '@acme/a/b', 'a b', '\u202ea'],
  pypi: ['-acme*', '_acme', 'acme/*', '@acme/*', 'acme-'],
  cargo: ['1acme', 'acme.core', 'acme core*', '@acme/*'],
  composer: ['acme', 'acme/app/x', 'acme//*', '@acme/*', 'a b/c', '../x'],
  conan: ['Acme', 'a', 'acme/*', '-acme*', 'acme@me'],
  docker: ['Acme/*', 'acme//*', 'registry.example:5000/*', 'a:1.0'],
  gems: ['acme/*', 'a b', '@acme/*', '..'],
  go: ['corp', 'corp/x', 'corp.example/!acme', 'https://corp.example/*'],
  helm: ['acme/*', 'a b', '..'],
  maven: ['org.acme', 'org/acme/*', 'org.acme:app:1.0', 'org..acme*'],
  chocolatey: ['acme/*', 'acme..tool', '@acme/*', 'a b', '.acme*'],
  nuget: ['acme/*', 'acme..logging', '@acme/*', 'a b', '.acme*'],
  debian: ['acme/*', 'a b', '@acme/*', '..', 'Acme', 'a_*'],
  rpm: ['acme/*', 'a b', '@acme/*', '..', '-acme'],
  universal: ['/tools/*', 'tools//x', 'tools/../x', 'tools\u200b', ' tools'],
};

describe.each(packageTypes)('A rule for names of %s', (type) => {
  it.each(accepted[type])('%s is compared as %s', (entry, normal) => {
    expect([understood(type, entry), understood(type, normal)]).toEqual([normal, normal]);
  });

  it.each(refused[type])('%j matches no package', (entry) => {
    expect(understood(type, entry)).toBeUndefined();
  });

  it('for all names is one', () => {
    expect(understood(type, '*')).toBe('*');
    expect([accepted[type].length, refused[type].length].every((count) => count > 0)).toBe(true);
  });
});

it('A rule that was stored before it was checked blocks every spelling, too', () => {
  const rules = normalRules(spellingFor('pypi'), { allow: ['My_Pkg'], block: ['Acme_*'] });
  expect(rules).toEqual({ allow: ['my-pkg'], block: ['acme-*'] });
});

it('A rule for an image of the hub holds for both of its names, and for no others', () => {
  const { block, ...rules } = normalRules(spellingFor('docker'), { allow: [], block: ['nginx', 'library/red*'] });
  const isNo = (name: string): boolean => isBlocked(name, { ...rules, block });
  expect(['nginx', 'library/nginx', 'redis', 'library/redis'].map(isNo)).toEqual([true, true, true, true]);
  expect(['acme/nginx', 'red/app', 'library/app', 'app'].map(isNo)).toEqual([false, false, false, false]);
});
