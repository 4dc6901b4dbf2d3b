/** The members of an object in the order of their names. The table keeps no order of what it stores. */
export const sortedEntries = <T>(members: Readonly<Record<string, T>>): [name: string, value: T][] =>
  Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1));
