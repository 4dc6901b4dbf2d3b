/** Numbers of tags in the header of a package (rpm's `include/rpm/rpmtag.h`). */
export const tags = {
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  summary: 1004,
  description: 1005,
  buildTime: 1006,
  buildHost: 1007,
  size: 1009,
  vendor: 1011,
  license: 1014,
  packager: 1015,
  group: 1016,
  url: 1020,
  arch: 1022,
  fileModes: 1030,
  fileFlags: 1037,
  sourceRpm: 1044,
  changelogTimes: 1080,
  changelogAuthors: 1081,
  changelogTexts: 1082,
  directoryIndexes: 1116,
  baseNames: 1117,
  directoryNames: 1118,
  longSize: 5009,
} as const;

/** Numbers of tags in the header of the signature. `size` counts the header and the payload, `payloadSize` the payload unpacked. */
export const signatureTags = { size: 1000, payloadSize: 1007, longSize: 270, longPayloadSize: 271 } as const;

/** The tags of each kind of dependency: names, flags and versions. */
export const dependencyTags = {
  provides: [1047, 1112, 1113],
  requires: [1049, 1048, 1050],
  conflicts: [1054, 1053, 1055],
  obsoletes: [1090, 1114, 1115],
  suggests: [5049, 5051, 5050],
  enhances: [5055, 5057, 5056],
  recommends: [5046, 5048, 5047],
  supplements: [5052, 5054, 5053],
} as const;

export type DependencyKind = keyof typeof dependencyTags;
