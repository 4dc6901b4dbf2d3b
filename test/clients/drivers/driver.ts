import type { PackageType } from '../../../shared/package-types.ts';
import type { Sandbox } from './sandbox.ts';

/** A package as the cases know it: one text stands for its content. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly content: string;
}

/** The address of a repository as a client is pointed at it, without a slash at the end, and the token for it. */
export interface Registry {
  readonly url: string;
  readonly token: string;
  /** A file with the keys that the client trusts. Without it, the client trusts those that the repository has now. */
  readonly keys?: string;
  /** The certificate of an address over TLS. */
  readonly certificate?: string;
}

/** What a run of a client left. */
export interface Ran {
  /** All that it printed. */
  readonly output: string;
  readonly isFailed: boolean;
}

/** The package to install. Without a version, it is the newest one that the client finds. */
export interface Wanted {
  readonly name: string;
  readonly version?: string;
}

/** One real client of one package type. Each method runs it in a sandbox that nothing else has used. */
export interface Driver {
  readonly name: string;
  readonly packageType: PackageType;
  /** Set if the client cannot be sent to wait, and only tries again a few times: of what is not kept, each question takes as long. */
  readonly triesAgain?: true;
  /** Set if the client sends its credential only when it is asked for one. */
  readonly sendsWhenAsked?: true;
  /** Set if the client sends its credential over TLS alone. */
  readonly isOverTls?: true;
  /** Returns the version of the client; fails with what to do where there is none. */
  readonly prepare: () => Promise<string>;
  /** The name of a package of this type, made from a unique word. */
  readonly nameOf: (word: string) => string;
  readonly publish: (sandbox: Sandbox, registry: Registry, each: Package) => Promise<Ran>;
  readonly install: (sandbox: Sandbox, registry: Registry, wanted: Wanted) => Promise<Ran>;
  /** The content of an installed package. */
  readonly contentOf: (sandbox: Sandbox, name: string) => string;
  /** What the client prints of a refusal. */
  readonly prints: {
    /** Absent if the same version may be published again, as another revision of it. */
    readonly republished?: RegExp;
    readonly levelTooLow: RegExp;
    readonly wrongCredential: RegExp;
  };
  /** How a client with lock files installs exactly what one says. */
  readonly lock?: {
    readonly file: string;
    readonly install: (sandbox: Sandbox, registry: Registry) => Promise<Ran>;
  };
}
