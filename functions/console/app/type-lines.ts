import type { LinesMaker } from '../../../shared/package-lines.ts';
import type { PackageType } from '../../../shared/package-types.ts';

/** What a package type says to people who use its clients. */
export interface TypeLines {
  readonly linesToPaste: LinesMaker;
  readonly publicUpstream?: string;
}

/** The same, whether files alone make a version of the type, and whether a release gate or a verdict can hold its versions back. */
export interface TypeInConsole extends TypeLines {
  readonly publishesFiles: boolean;
  readonly hasGate: boolean;
  readonly takesVerdicts: boolean;
}

/** By package type. The build puts in what stands in the folder of each type, in `lines.ts`. */
export const typeLines: Readonly<Partial<Record<PackageType, TypeInConsole>>> = {};
