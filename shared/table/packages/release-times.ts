/** What is kept of the times in a document of an upstream, so that most documents need no look. In milliseconds since the epoch. */
export interface ReleaseTimes {
  /** The latest time of any release: when it was published, or first seen. */
  readonly newest: number;
  /** Whether the upstream says a time of each. */
  readonly isTimed: boolean;
  /** When releases without a time were first seen, by their IDs: those that an earlier copy of the document lacked. */
  readonly seen: Readonly<Record<string, number>>;
}

/** When a release without a time was first seen. It may have any name, also that of a member which all objects have. */
export const firstSeen = (seen: ReleaseTimes['seen'] | undefined, id: string): number | undefined =>
  seen && Object.hasOwn(seen, id) ? seen[id] : undefined;
