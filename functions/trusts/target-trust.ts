import { ApiError } from '../../shared/errors.ts';
import type { Trust } from '../../shared/table/identity/trusts.ts';
import type { IdentityMap } from '../../shared/table/identity-map.ts';
import type { Key } from '../../shared/table/keys.ts';
import { locate, trustsOf } from '../../shared/table/locate.ts';

interface Params {
  readonly trust: string;
}

/** The keys that the first read must bring to find the trust in the path. */
export const targetTrustKeys = ({
  params,
  workspaceId,
  loaded,
}: {
  params: Params;
  workspaceId: string;
  loaded: IdentityMap;
}): readonly Key[] => locate(trustsOf(workspaceId), params.trust, loaded).next;

/** The trust in the path. */
export const targetTrustOf = ({
  params,
  workspace: { workspaceId },
  loaded,
}: {
  params: Params;
  workspace: { readonly workspaceId: string };
  loaded: IdentityMap;
}): Trust => {
  const { item } = locate(trustsOf(workspaceId), params.trust, loaded);
  // An ID leads to a trust of any workspace.
  if (item?.workspaceId !== workspaceId) throw new ApiError('TRUST_NOT_FOUND');
  return item;
};
