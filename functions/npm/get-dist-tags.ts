import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { answerDocument } from '../../shared/packages/serve/document-answers.ts';
import { addressedSources, alsoReadIndex, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import { accountRefusal } from './account-routes.ts';
import { getDistTags } from './contracts.ts';
import { mergeEntries, tagsOf } from './packument.ts';
import { parsePath } from './paths.ts';
import { findPackage } from './reading.ts';
import { npm } from './type.ts';
import { packumentName } from './upstream-documents.ts';
import { order } from './versions.ts';

const tailOf = (path: string): string => `-/package/${path}`;

const packageIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const parsed = parsePath(tailOf(path));
  if (parsed.kind !== 'dist-tags') return undefined;
  return { name: parsed.name, documents: [packumentName(parsed.name, 'abbreviated')] };
};

export const handler = endpoint(
  getDistTags,
  async (call) => {
    const sources = addressedSources(call, { ...npm, order });
    const tail = tailOf(call.params.path);
    const path = parsePath(tail);
    if (path.kind !== 'dist-tags') throw accountRefusal(tail) ?? new ApiError('PACKAGE_NOT_FOUND');
    const found = await findPackage(call, sources, { name: path.name, form: 'abbreviated' });
    return answerDocument(call, {
      ...found,
      revision: `${found.revision}/dist-tags`,
      mediaType: 'application/json',
      render: async () => {
        const merged = mergeEntries(await found.load());
        return Buffer.from(JSON.stringify(tagsOf(merged, merged.entries)));
      },
    });
  },
  { alsoRead: alsoReadIndex(packageIn) },
);
