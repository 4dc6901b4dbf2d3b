import type { FormBody } from '../../http/payloads.ts';
import type { IdentityMap } from '../../table/identity-map.ts';
import type { Repository } from '../../table/repositories/repositories.ts';
import { type PublishCall, publishTo } from '../changes/publish-to.ts';
import type { VersionTraits } from '../changes/version-content.ts';
import { refusingAsync } from '../formats/format-refusals.ts';
import type { AddressedType } from '../sources/addressed-type.ts';
import { publishTarget } from '../sources/upload-target.ts';
import { packageContent } from './package-content.ts';
import { receivePackage } from './received-package.ts';

interface PushCall extends PublishCall {
  readonly body: FormBody;
  readonly repository: Repository;
  readonly loaded: IdentityMap;
}

/** Publishes the package that a client pushes. Throws as `publishTarget`, `receivePackage`, `packageContent` and `publishTo`. */
export const publishPushed = async (
  call: PushCall,
  type: AddressedType & { readonly versions: VersionTraits },
): Promise<{ readonly id: string; readonly version: string }> => {
  const target = publishTarget(call, type);
  const received = await receivePackage(call.body, call.table);
  const content = await refusingAsync(async () => packageContent(received));
  await publishTo(call, type, target, content);
  return { id: content.displayName, version: content.version };
};
