import { bugsIn, type Mutant } from './mutant.ts';

const json = 'functions/pypi/get-pypi-project';

/** Bugs in what clients ask beside installing and publishing. */
export const clientMutants: readonly Mutant[] = [
  ...bugsIn('functions/pypi/project-json.ts', json, {
    'a release is listed whose hashes nobody knows': ['of.every(hasHashes)', 'of.length > 0'],
    'a pre-release is the version of a project': ['usable.findLast((each) => !isPrerelease(each)) ??', ''],
    'an equal version is another': ['?? versions.find((each) => versionKeyOf(each) === versionKeyOf(asked))', ''],
    'of two equal versions the first is meant': ['versions.find((each) => each === asked) ??', ''],
    'every refusal names SHA-256': ['lacksHashes ?', "name !== '' ?"],
    'no refusal names SHA-256': ['lacksHashes ?', "name === '' ?"],
    'a withdrawn file is none': ["typeof yanked === 'string'", "typeof yanked === 'number'"],
  }),
  ...bugsIn('functions/pypi/version-order.ts', 'functions/pypi/version-order', {
    'a development release is behind its release': ['dev && post === undefined ? before : behind', 'behind'],
    'zeros at the end are a version of their own': ['findLastIndex((each) => each !== 0n) + 1', 'length'],
    'a local version is a text': ['`~${part.padStart(128', '`!${part.padStart(128'],
  }),
  ...bugsIn('functions/pypi/paths.ts', json, {
    'pip-tools finds nothing below the index': ['(?:simple\\/pypi\\/|(?!', '(?:(?!'],
    'a page is metadata': ['(?!(?:simple|files)\\/)', '(?!(?:files)\\/)'],
    'hatch finds no page': ["first === '+simple' ? 'simple' : first", 'first'],
  }),
  ...bugsIn('functions/pypi/get-pypi-document.ts', 'functions/pypi/get-pypi-document#no address', {
    'whoever leaves out simple/ is told of a file': [
      "new ApiError('FILE_NOT_FOUND', noAddress)",
      "new ApiError('FILE_NOT_FOUND')",
    ],
  }),
  ...bugsIn('functions/pypi/contracts.ts', `${json}#answers HEAD`, {
    'the metadata of a project have no HEAD': [
      "get-pypi-project',\n  method: 'GET',\n  head: true,",
      "get-pypi-project',\n  method: 'GET',",
    ],
  }),
  ...bugsIn('functions/pypi/get-pypi-project.ts', `${json}#not for another version`, {
    'one version is another': ['version === undefined ? found', 'version !== null ? found'],
  }),
  ...bugsIn('functions/conan/contracts.ts', 'functions/head-requests', {
    'a ping of Conan has no HEAD': [
      "get-conan-ping',\n  method: 'GET',\n  head: true,",
      "get-conan-ping',\n  method: 'GET',",
    ],
  }),
  ...bugsIn('functions/gems/contracts.ts', 'infra/routes', {
    'a key of gem has no HEAD': ["get-gem-key',\n  method: 'GET',\n  head: true,", "get-gem-key',\n  method: 'GET',"],
  }),
  ...bugsIn('functions/npm/same-manifest.ts', 'functions/npm/publish-npm-package', {
    'a manifest may hide a dependency': ['names.length === Object.keys(own).length && ', ''],
    'a manifest may name another repository of git': [
      "`${found.host ?? 'github'}:${found.path}${found.commit ?? ''}`",
      "'git'",
    ],
    'a package that names the script of gyp is refused': [' && textsIn(own.scripts).install === undefined', ''],
    'an install script may be denied': ['sent.hasInstallScript === false && ', "sent.hasInstallScript === '' && "],
    'the tarball may be of another package': ['(member) => sent[member] !== own[member]', '(member) => !sent[member]'],
    'a manifest may add commands': [' || !textsIn(own.directories).bin', ''],
  }),
  ...bugsIn('functions/npm/account-routes.ts', 'functions/npm/update-npm-account', {
    'a route of npm accounts says nothing': ['/^-\\/(?:org|team)\\//', '/^-\\/(?:org)\\//'],
    'every path of npm is one of accounts': ['/^-\\/npm\\/v1\\/user$/', '/^-\\/npm\\/v1\\/user/'],
  }),
  ...bugsIn('functions/npm/update-npm-account.ts', 'functions/npm/update-npm-account', {
    'what npm posts to an account gets no sentence': ['accountRefusal(`-/${params.path}`) ?? ', ''],
  }),
  ...bugsIn('functions/npm/publish-npm-package.ts', 'functions/npm/update-npm-account', {
    'a star is taken and lost': ['throw updateRefusals[update.kind]();', 'return;'],
  }),
  ...bugsIn('shared/packages/sources/package-address.ts', 'requests/addressed-types', {
    'the wrong address is the right one': [
      'begin with ${right}, not with ${root}.',
      'begin with ${root}, not with ${right}.',
    ],
  }),
  ...bugsIn('functions/cargo/same-dependencies.ts', 'functions/cargo/publish-crate', {
    'a crate may hide a dependency': ['...unknown, ...Array.from(left.values()).flat()', '...unknown'],
    'an index may add a dependency': ['...unknown, ...Array', '...Array'],
    'a dependency may come from another registry': ['cratesIo.has(own) ? cratesIo.has(sent) :', 'cratesIo.has(own) ||'],
    'the spelling of a requirement matters': [".replace(/^\\d[^*]*$/, '^$&')", ''],
    'what tests need matters': ["filter(({ kind }) => kind !== 'dev')", 'filter(() => true)'],
  }),
  ...bugsIn('functions/docker/type.ts', 'requests/addressed-types', {
    'images have the address of their type': ["root: '/v2/'", "root: '/docker/'"],
  }),
];
