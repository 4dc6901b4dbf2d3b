import { joinedRights, type Rights } from './api/rights.ts';
import recorded from './released-rights.json' with { type: 'json' };

/** What `npm run record-items` records of a release: what its functions may do, which its versions need until others are live. */
export interface RecordedRelease {
  readonly version: string;
  /** Set if what it changes of a caller's access, it counts: the release after it may remember access. */
  readonly countsAccess?: true;
  readonly rights: Readonly<Record<string, Rights | undefined>>;
}

/**
 * The last two releases, the last one at the end. The tag of a release contains its own record, and is deployed beside the one before it;
 * what is made after the tag is deployed beside the last one. Both have to hold.
 */
export const releases = recorded as readonly RecordedRelease[];

/** What to record when a release is made: it, and the one before it. */
export const withRelease = (before: readonly RecordedRelease[], release: RecordedRelease): readonly RecordedRelease[] =>
  [...before.filter(({ version }) => version !== release.version), release].slice(-2);

/**
 * What a function may do: what its code needs, and what that of the release before it needed. All versions of a function share its
 * role, and a deployment changes the role before the alias moves: until then, the version that is live needs its rights. The release
 * after that withdraws what this one stopped to need.
 */
export const grantedTo = (id: string, needed: Rights, before = releases): Rights =>
  before.flatMap(({ rights }) => rights[id] ?? []).reduce(joinedRights, needed);
