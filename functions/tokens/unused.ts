/** The record of a token, if the query asks for it. */
export const listed = <R extends { readonly unused: boolean }>(
  record: R,
  { unused }: { readonly unused?: string | undefined },
): R | undefined => (unused === undefined || record.unused ? record : undefined);
