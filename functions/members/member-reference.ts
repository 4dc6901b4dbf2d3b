import { type Key, memberNameKey, membershipKey } from '../../shared/table/keys.ts';
import { type Membership, membershipOf } from '../../shared/table/memberships.ts';
import { parseReference } from '../../shared/table/references.ts';
import type { Seen } from '../../shared/table/seen.ts';

const idOf = (workspaceId: string, text: string, seen: Seen): string | undefined => {
  const reference = parseReference(text);
  return (
    reference &&
    seen.identify(
      reference,
      (name) => memberNameKey(workspaceId, name),
      (id) => membershipKey(workspaceId, id),
    )
  );
};

/** What must be read to find the member that a path names by ID or username. */
export const memberKeys = (workspaceId: string, text: string, seen: Seen): Key[] => {
  const id = idOf(workspaceId, text, seen);
  if (id !== undefined) return [membershipKey(workspaceId, id)];
  const reference = parseReference(text);
  return reference && 'name' in reference ? [memberNameKey(workspaceId, reference.name)] : [];
};

/** The member that a path names, once its keys were read. */
export const memberOf = (workspaceId: string, text: string, seen: Seen): Membership | undefined => {
  const id = idOf(workspaceId, text, seen);
  return id === undefined ? undefined : membershipOf(seen.find(membershipKey(workspaceId, id)));
};
