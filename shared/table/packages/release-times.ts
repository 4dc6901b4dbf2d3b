/** What is kept of the times in a document of an upstream, so that most documents need no look. In milliseconds since the epoch. */
export interface ReleaseTimes {
  /** The latest time of any release: when it was published, or first seen. */
  readonly newest: number;
  /** Whether each has a time. */
  readonly isTimed: boolean;
  /** When releases were first seen whose times no upstream says, or only their authors: those that an earlier copy of the document lacked, by their IDs. */
  readonly seen: Readonly<Record<string, number>>;
  /** The latest of these times that are not in `seen`, because there were too many: whatever is not in `seen` may have come then. */
  readonly seenFloor?: number;
}

/** When a release was first seen, as far as it is kept. It may have any name, also that of a member which all objects have. */
export const keptTime = (seen: ReleaseTimes['seen'] | undefined, id: string): number | undefined =>
  seen && Object.hasOwn(seen, id) ? seen[id] : undefined;

/** When a release was first seen, at the latest; undefined if that is long ago. */
export const firstSeen = (
  times: Pick<ReleaseTimes, 'seen' | 'seenFloor'> | undefined,
  id: string,
): number | undefined => keptTime(times?.seen, id) ?? times?.seenFloor;
