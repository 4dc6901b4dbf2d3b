import { bugsIn, type Mutant } from './mutant.ts';

const gate = '(_source: Source, _leaving: Leaving): boolean => true';
const without = (kind: string): string => `(_source: Source, { kind }: Leaving): boolean => kind !== '${kind}'`;

/** Each of these holds one thing back, which is missing in the answers of one door: so they come through the gate. */
const held = (kind: string, suite: string): [string, string, string] => [gate, without(kind), suite];

export const typeMutants: readonly Mutant[] = [
  ...bugsIn('shared/packages/serve/readable.ts', [], {
    'no file leaves': held('file', 'functions/universal/get-universal-file'),
    'no version of a Go module leaves': held('file', 'functions/go/get-go-file'),
    'no index of a package leaves': held('index', 'functions/npm/get-npm-document'),
    'no index of a repository leaves': held('index', 'functions/helm/get-helm-document'),
    'no referrer leaves': held('index', 'functions/docker/get-image-content'),
    'no tag leads anywhere': held('tag', 'functions/docker/get-image-content'),
    'no tag is listed': held('tags', 'functions/docker/get-image-content'),
    'no plugin of a group leaves': held('version', 'functions/maven/get-maven-file'),
    'no plugin that an earlier release has marked leaves': held('package', 'records/released-packages'),
    'no package is listed': held('package', 'functions/packages/list-packages'),
    'no package has a record': held('package', 'functions/packages/get-package'),
    'no version has a record': held('version', 'functions/packages/get-package-version'),
    'no version is listed': held('version', 'functions/packages/list-package-versions'),
    'no search finds anything': held('package', 'functions/cargo/get-cargo-search'),
    'no project is in the index of all': held('package', 'functions/pypi/get-pypi-document'),
  }),
  ...bugsIn('shared/packages/changes/publish-to.ts', [], {
    'every version of a crate has its own spelling': [
      'hasOneSpelling: firstSpellingWins',
      'hasOneSpelling: false && firstSpellingWins',
      'functions/cargo/publish-crate',
    ],
    'no file comes after the first': [
      "isOpen: files === 'one by one'",
      "isOpen: files !== 'one by one' && false",
      'functions/pypi/publish-pypi-file',
    ],
    'a chart has an index of its own': [
      'index: indexOf,',
      "index: 'package' as const,",
      'functions/helm/publish-chart',
    ],
    'no snapshot moves': [
      'isReplacing: replaces(content)',
      'isReplacing: replaces(content) && false',
      'functions/maven/publish-maven-file',
    ],
  }),
  ...bugsIn('functions/maven/index-entries.ts', 'functions/maven/get-maven-file#once its POM is there', {
    'a release without its POM is the latest': ['parts[1] === withPom);', "parts[1] === '');"],
    'a POM that comes last lists no release': ['return hasPom(added) && {', 'return !hasPom(added) && {'],
  }),
  ...bugsIn('infra/api/release-groups.ts', '~infra/api/release-groups', {
    'a group has any number of aliases': ['left -= aliases;', ''],
    'all groups are released at once': ['groups[index - 1] ?? []', '[]'],
  }),
];
