/** All package types as the contract of the service lists them; written out, because the list of the code cannot prove itself. */
export const listedPackageTypes = [
  'cargo',
  'chocolatey',
  'composer',
  'conan',
  'debian',
  'docker',
  'gems',
  'go',
  'helm',
  'maven',
  'npm',
  'nuget',
  'pypi',
  'rpm',
  'universal',
] as const;
