import type { Violation } from '../../errors.ts';
import type { ProblemHeaders, ProblemShape } from '../../http/built-contract.ts';
import type { Problem } from '../../http/problem.ts';
import type { PackageType } from '../../package-types.ts';
import type { VersionOrder } from '../../table/repositories/advisories.ts';
import type { VersionTraits } from '../changes/version-content.ts';
import type { PackageFormat } from '../formats/package-format.ts';
import type { UpstreamReleases } from '../gate/version-releases.ts';
import type { WhilePending } from '../serve/wait-redirects.ts';
import type { AddressedType } from '../sources/addressed-type.ts';
import type { UpstreamFacts } from '../sources/type-facts.ts';

/** What the reference says of a package type. */
export interface TypeWords {
  readonly title: string;
  /** How a client is pointed at a repository, with the lines to paste. */
  readonly description: string;
  /** The parameters of its paths that no other type has. */
  readonly pathParameters: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  /** The headers that `problemHeaders` adds to refusals. */
  readonly refusalHeaders?: readonly string[];
}

/** The rules of the upstreams of a package type. */
export interface UpstreamRules extends UpstreamFacts {
  /** What the URL of a remote repository must hold beside the rules for every URL, as violations. */
  readonly urlViolations: (url: string) => readonly Violation[];
}

/** How versions come into a repository: files by every way, or what only the clients of the type can send. */
export type PublishingWay =
  | { readonly by: 'files' }
  | { readonly by: 'clients only' /** The sentence for who sends files. */; readonly refusal: string };

/** What a package type is, apart from its grammars: data and small functions, which every bundle of the type has. */
export interface PackageTypeDefinition extends AddressedType {
  readonly words: TypeWords;
  readonly upstream: UpstreamRules;
  /** What a client gets while an upstream is sending: a redirect, unless its clients lose their credential on one. */
  readonly whilePending: WhilePending;
  /** The members of an error that the clients of the type print. */
  readonly shapeProblem: ProblemShape;
  /** The headers of an error that the clients of the type print. By default, there are none. */
  readonly problemHeaders?: ProblemHeaders;
  readonly publishing: PublishingWay;
  readonly versions: VersionTraits;
  /** Whether the type asks the release gates of remote repositories. */
  readonly hasGate?: true;
  /** Why it has no gate, as a part of a sentence. */
  readonly withoutGate?: string;
  /** What osv.dev calls the registry of the type; absent if it has no advisories on packages of the type. */
  readonly ecosystem?: string;
  /** Whether its clients read all advisories at once, and compare their packages themselves. */
  readonly listsAdvisories?: true;
}

/** What checks and lists of versions load of a package type. */
export interface CheckedReleases extends UpstreamReleases {
  /** Absent for a type without advisories. */
  readonly order?: VersionOrder;
}

/** What the module `type.ts` of every package type exports. */
interface TypeModule {
  /** The contracts of the folder. */
  readonly contracts: object;
  readonly definition: PackageTypeDefinition;
  /** What upstreams say of versions, for who asks why one is held back; of a type with a gate. */
  readonly releases?: () => Promise<CheckedReleases>;
}

/** That of a type whose files are published: `format` reads them; it is loaded where files are published. */
interface FilesModule extends TypeModule {
  readonly format: () => Promise<PackageFormat>;
}

/** That of a type whose clients alone can publish. */
interface ClientsModule extends TypeModule {
  readonly definition: PackageTypeDefinition & { readonly publishing: { readonly by: 'clients only' } };
}

export type PackageTypeModule = FilesModule | ClientsModule;

/** A module for each package type. The compiler names a type without one, and what a module lacks. */
export type PackageTypeModules<
  Modules extends Readonly<Record<PackageType, { readonly definition: PackageTypeDefinition }>>,
> = {
  readonly [Type in PackageType]: Modules[Type]['definition']['publishing'] extends { readonly by: 'clients only' }
    ? ClientsModule
    : FilesModule;
};

/** Defines a package type. The compiler names what it lacks. */
export const packageType = <const Definition>(definition: Definition & PackageTypeDefinition) => definition;

/** The upstreams of a type are asked with a plain URL and Basic. */
export const plainUpstreams: UpstreamRules = {
  urlPrefix: '',
  lonePassword: 'as basic',
  challenges: 'none',
  urlViolations: () => [],
};

/** Versions of one set of files, each of which is spelled as its publisher wants, in the index of their package. */
export const plainVersions: VersionTraits = {
  firstSpellingWins: false,
  files: 'all at once',
  indexOf: 'package',
  replaces: () => false,
};

/** Clients of the type print nothing of the body, or read it as everybody does. */
export const plainProblem = (problem: Problem): object => problem;
