import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in the crates of Cargo. */
export const cargoMutants: readonly Mutant[] = [
  ...bugsIn('functions/cargo/names.ts', 'functions/cargo/names', {
    'crates whose names differ in a hyphen are two': [".toLowerCase().replaceAll('_', '-')", '.toLowerCase()'],
    'a crate may be called like a crate of Rust': ['if (reservedNames.has(packageNameOf(name)))', 'if (false)'],
    'an index path may have an encoded slash': [
      "if (segments.some((segment) => segment.includes('/'))) return",
      'if (false) return',
    ],
    'an index has each crate in every folder': ["indexPathOf(name) === segments.join('/') ? name", 'true ? name'],
  }),
  ...bugsIn('functions/cargo/versions.ts', 'functions/cargo/versions', {
    'numbers of a version have any size': ['>> 64n', '>> 999n'],
    'build metadata makes another version': ["text.replace(/\\+.*$/s, '')", 'text'],
  }),
  ...bugsIn('shared/packages/formats/semver-order.ts', ['functions/cargo/versions', 'functions/helm/names'], {
    'a prerelease comes after its release': [
      'return other.prerelease.length - one.prerelease.length;\n  for',
      'return one.prerelease.length - other.prerelease.length;\n  for',
    ],
    'identifiers of a prerelease are texts': ['return isOneNumber ? compareNumbers', 'return false ? compareNumbers'],
    'texts of a prerelease come before numbers': ['return isOneNumber ? -1 : 1;', 'return isOneNumber ? 1 : -1;'],
    'a prerelease with more identifiers is as high': [
      'return one.prerelease.length - other.prerelease.length;\n};',
      'return 0;\n};',
    ],
  }),
  ...bugsIn('functions/cargo/index-lines.ts', ['functions/cargo/get-crate-index', 'functions/cargo/publish-crate'], {
    'a renamed dependency has the name of its package': ['name: isRenamed ? renamed : name', 'name'],
    'an old Cargo gets features that it does not know': ["value.startsWith('dep:') || ", ''],
  }),
  ...bugsIn('functions/cargo/features.ts', 'functions/cargo/publish-crate', {
    'a feature may enable what a crate does not have': ['if (value !== undefined)', 'if (false)'],
    'a feature may have any name': ['if (!isFeatureName(name))', 'if (false)'],
    'a dependency that is always there may be enabled': ['return needsOptional ?', 'return false ?'],
    'a dependency that a feature hides is one itself': [' && !this.hidden.has(name)', ''],
    'a dependency may be hidden by a feature of its name': [
      'isOptional && Object.hasOwn(this.features, name)',
      'false',
    ],
    'a renamed dependency has the name of its package in features': ['String(renamed ?? name)', 'String(name)'],
    'an index may show other features than the crate has': [
      'ofMetadata.get(name) !== ofManifest.get(name) &&',
      'false &&',
    ],
    'no old Cargo publishes': ['!(!ofManifest.has(name) &&', '!(false &&'],
    'no tests of a workspace may have features': ['values.filter(isKept)', 'values'],
  }),
  ...bugsIn('functions/cargo/manifest.ts', 'functions/cargo/publish-crate', {
    'an index may show another rust_version than the crate has': ['sent == null || sent === written', 'true'],
    'an old Cargo must know the rust_version': ['sent == null || sent', 'sent'],
  }),
  ...bugsIn('functions/cargo/metadata.ts', 'functions/cargo/publish-crate', {
    'any text is a version of Rust': ['&& !isRustVersion(rust_version)', '&& false'],
  }),
  ...bugsIn('functions/cargo/crate-archive.ts', 'functions/cargo/publish-crate', {
    'a crate may contain links': [
      "type !== 'file' && type !== 'contiguous-file' && type !== 'directory'",
      "type === 'fifo'",
    ],
    'a crate may reach beyond its folder': ['|| /(?:^|[\\\\/])\\.\\.?(?:[\\\\/]|$)|\\0/.test(name))', ')'],
  }),
  ...bugsIn('functions/cargo/search.ts', 'functions/cargo/get-cargo-search', {
    'the last child of a virtual repository says what is yanked in a search': [
      'indexes.toReversed().flatMap',
      'indexes.flatMap',
    ],
    'a search shows what was yanked': ['offered.length > 0 ? offered : versions', 'versions'],
    'the words of a search stay one': ['.split(/[\\s+]+/)', '.split(/\\s+/)'],
    'a search goes to the index and not to the API': [
      "typeof api !== 'string' || !URL.canParse(api)",
      "typeof api !== 'string'",
    ],
  }),
];
