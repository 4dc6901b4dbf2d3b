import type { IdentityMap } from '../../shared/table/identity-map.ts';
import { type Key, memberNameKey, membershipKey } from '../../shared/table/keys.ts';
import { type Membership, membershipOf } from '../../shared/table/memberships.ts';
import { parseReference } from '../../shared/table/references.ts';

const idOf = (workspaceId: string, text: string, loaded: IdentityMap): string | undefined => {
  const reference = parseReference(text);
  return (
    reference &&
    loaded.identify(
      reference,
      (name) => memberNameKey(workspaceId, name),
      (id) => membershipKey(workspaceId, id),
    )
  );
};

/** What must be read to find the member that a path names by ID or username. */
export const memberKeys = (workspaceId: string, text: string, loaded: IdentityMap): Key[] => {
  const id = idOf(workspaceId, text, loaded);
  if (id !== undefined) return [membershipKey(workspaceId, id)];
  const reference = parseReference(text);
  return reference && 'name' in reference ? [memberNameKey(workspaceId, reference.name)] : [];
};

/** The member that a path names, once its keys were read. */
export const memberOf = (workspaceId: string, text: string, loaded: IdentityMap): Membership | undefined => {
  const id = idOf(workspaceId, text, loaded);
  return id === undefined ? undefined : membershipOf(loaded.find(membershipKey(workspaceId, id)));
};
