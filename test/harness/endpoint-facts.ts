import type { EndpointId } from '../../functions/endpoints.ts';
import { advisories } from '../facts/advisories.ts';
import { audit } from '../facts/audit.ts';
import { cargo } from '../facts/cargo.ts';
import { chocolatey } from '../facts/chocolatey.ts';
import { composer } from '../facts/composer.ts';
import { conan } from '../facts/conan.ts';
import { console } from '../facts/console.ts';
import type { CostClass } from '../facts/costs.ts';
import { debian } from '../facts/debian.ts';
import { docker } from '../facts/docker.ts';
import { gems } from '../facts/gems.ts';
import { go } from '../facts/go.ts';
import { helm } from '../facts/helm.ts';
import { maven } from '../facts/maven.ts';
import { members } from '../facts/members.ts';
import { npm } from '../facts/npm.ts';
import { nuget } from '../facts/nuget.ts';
import { packages } from '../facts/packages.ts';
import { pypi } from '../facts/pypi.ts';
import { repositories } from '../facts/repositories.ts';
import { rpm } from '../facts/rpm.ts';
import { sessions } from '../facts/sessions.ts';
import { system } from '../facts/system.ts';
import { tokens } from '../facts/tokens.ts';
import { trusts } from '../facts/trusts.ts';
import { universal } from '../facts/universal.ts';
import { users } from '../facts/users.ts';
import { verdicts } from '../facts/verdicts.ts';
import { workspaces } from '../facts/workspaces.ts';
import type { Answers } from './callers.ts';
import type { LooseInput } from './client.ts';
import type { Fixture } from './fixture.ts';
import type { ReleasedWorld } from './released-world.ts';

/** What a request carries beside its credential. */
export type Request = Pick<LooseInput, 'params' | 'query' | 'body' | 'bytes' | 'headers'>;

/** Makes a request on a fixture, and before it whatever the request uses up. Parameters of the path that it leaves out are the fixture's. */
export type Make = (fixture: Fixture) => Promise<Request>;

/** Makes a request about items of a release, and what its answer holds of them. */
export type ReleasedRequest = (world: ReleasedWorld) => Request & { readonly expected?: unknown };

/** What replaces an example where it cannot know the ID that the service made, or is sent a second time. */
export type Adaptation = (created: Readonly<Partial<Record<EndpointId, string>>>) => Pick<Request, 'params'> & {
  readonly body?: Readonly<Record<string, unknown>>;
};

/** What the tests over all endpoints know of one, written from the contract of the service and independently of the code. */
export interface EndpointFacts {
  /** Who may do it, and how each of the others is refused. */
  readonly answers: Answers;
  /** What one request of a system admin costs in calls and units of the table, once the credential and the names are known. */
  readonly cost: CostClass;
  /** A request that succeeds, where the examples of the schemas do not make one: most of these use up what they are about. */
  readonly request?: Make;
  /** Requests that take another way through the use case than the plain one. */
  readonly otherWays?: readonly Make[];
  /** While a canary runs, the functions of two releases share one table: the endpoint works on items of earlier releases. */
  readonly released: ReleasedRequest | 'uses no items' | 'about what no release has stored';
  /** The example of the document is sent once, as it is; or once for each of these. */
  readonly examples?: readonly Adaptation[];
}

/** A row for each endpoint of a resource. */
export type FactsOf<Resource extends string> = Readonly<
  Record<Extract<EndpointId, `${Resource}/${string}`>, EndpointFacts>
>;

/**
 * One row for each endpoint. The order is that in which the examples of the document create what others are about; they
 * delete it in the opposite order.
 */
export const facts: Readonly<Record<EndpointId, EndpointFacts>> = {
  ...system,
  ...console,
  ...workspaces,
  ...users,
  ...repositories,
  ...members,
  ...sessions,
  ...tokens,
  ...trusts,
  ...verdicts,
  ...advisories,
  ...audit,
  ...cargo,
  ...chocolatey,
  ...composer,
  ...conan,
  ...npm,
  ...gems,
  ...rpm,
  ...go,
  ...pypi,
  ...maven,
  ...universal,
  ...helm,
  ...debian,
  ...docker,
  ...nuget,
  ...packages,
};

/** The status of the plain request of a system admin: 200 to 204, or that of a refusal where an endpoint has but a sentence. */
export const statusForAdmin = ({ id }: { readonly id: string }): number =>
  Number.parseInt(facts[id as EndpointId].answers.systemAdmin, 10);
