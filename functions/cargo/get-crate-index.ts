import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { answerLargeDocument } from '../../shared/packages/serve/document-answers.ts';
import { orPending } from '../../shared/packages/serve/pending-documents.ts';
import { alsoReadIndex, type IndexAddress } from '../../shared/packages/sources/package-address.ts';
import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { crateSources, registriesHere } from './addresses.ts';
import { getCrateIndex } from './contracts.ts';
import { localized, namesRegistry } from './index-lines.ts';
import { crateAtIndexPath, packageNameOf } from './names.ts';
import { findCrate, linesOf } from './reading.ts';
import { cargo } from './type.ts';
import { indexName } from './upstream-documents.ts';

const mediaType = 'text/plain; charset=utf-8';

/** What Cargo requests although there is none, with a sentence for its users. */
const refusalOf = (segments: readonly string[]): ApiError =>
  new ApiError(
    'PACKAGE_NOT_FOUND',
    segments.at(-1) === 'owners'
      ? 'Crates have no owners here: the permission levels on the repository decide who may publish.'
      : 'The path is that of no crate. In the index, that of serde is se/rd/serde.',
  );

const crateIn = ({ path }: { readonly path: string }): IndexAddress | undefined => {
  const crate = crateAtIndexPath(decodeSegments(path) ?? []);
  return crate === undefined ? undefined : { name: packageNameOf(crate), documents: [indexName(crate)] };
};

export const handler = endpoint(
  getCrateIndex,
  async (call) => {
    const sources = crateSources(call);
    const segments = decodeSegments(call.params.path) ?? [];
    const crate = crateAtIndexPath(segments);
    if (crate === undefined) throw refusalOf(segments);
    return orPending(cargo, call, async () => {
      const found = await findCrate(call, sources, crate);
      return answerLargeDocument(call, {
        ...found,
        sourceBytes: found.bytes,
        // Two spellings of one name have the same sources.
        revision: `${found.revision}/${crate}`,
        fileName: crate,
        mediaType,
        render: async () => {
          const lines = linesOf(await found.load(), crate);
          const isHere = lines.some(({ text }) => namesRegistry(text))
            ? await registriesHere(call, sources)
            : () => false;
          return Buffer.from(lines.map(({ text }) => `${localized(text, isHere)}\n`).join(''));
        },
      });
    });
  },
  { alsoRead: alsoReadIndex(crateIn) },
);
