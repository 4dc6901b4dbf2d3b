import { buffer } from 'node:stream/consumers';
import { ApiError } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { fetchableNames } from '../../shared/packages/serve/upstream-search.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { isRemote } from '../../shared/packages/sources/resolution.ts';
import { auditUpstream } from '../../shared/packages/upstream/upstream-audit.ts';
import type { Table } from '../../shared/table/client.ts';
import { advisoryFeedKey } from '../../shared/table/repositories/advisory-keys.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { checkComposerPackages } from './contracts.ts';
import { importedAdvisories } from './imported-advisories.ts';
import { isPackageName, packageNameOf } from './names.ts';
import { composer } from './type.ts';
import { addressesIn, rootUrl } from './upstream-documents.ts';

/** More names are not asked about at once: each of them costs a read of every local repository. */
const namesMax = 5_000;

/** The names of packages in a form, each once: `packages[0]=acme/app`, with any number or none. What is no name, such as `php`, has no advisories. */
const namesIn = (form: string): readonly string[] => {
  const fields = Array.from(new URLSearchParams(form)).filter(([field]) => /^packages\[\d*\]$/.test(field));
  if (fields.length === 0)
    throw new ApiError('BODY_MALFORMED', 'The body must be a form with names of packages: packages[]=acme/app.');
  const names = [...new Set(fields.map(([, value]) => packageNameOf(value)).filter(isPackageName))];
  if (names.length <= namesMax) return names;
  throw new ApiError('REQUEST_INVALID', `An audit may be about ${namesMax} packages at once, and not ${names.length}.`);
};

/** The advisories on some names in an answer. Composer fails at one on a package that it did not ask for. */
const advisoriesIn = ({ advisories }: JsonObject, names: readonly string[]): JsonObject => {
  const found = isObject(advisories) ? advisories : {};
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(found, name) ? [[name, found[name]]] : [])));
};

/** What an upstream answers at the address in its packages.json: nothing, if it has none. */
const upstreamAdvisories = async (
  table: Table,
  source: RemoteRepository,
  names: readonly string[],
): Promise<JsonObject> =>
  auditUpstream(table, source, async (ask) => {
    const url = rootUrl(source);
    const root = await ask(url);
    const address = root && addressesIn(root, url).advisories;
    if (address === undefined) return {};
    const form = new URLSearchParams(names.map((name): [string, string] => ['packages[]', name]));
    const bytes = Buffer.from(form.toString());
    const answer = await ask(address, { bytes, mediaType: 'application/x-www-form-urlencoded' });
    return answer ? advisoriesIn(answer, names) : {};
  });

const feedKey = advisoryFeedKey(composer.name);

export const handler = endpoint(
  checkComposerPackages,
  async (call) => {
    const { body, table, loaded } = call;
    const sources = addressedSources(call, composer);
    const names = namesIn((await buffer(body.stream())).toString());
    const told = [...(await fetchableNames(table, sources, names))];
    const source = sources.all.find(isRemote);
    const ask = async (asked: RemoteRepository): Promise<JsonObject> => {
      const isImported = loaded.find(feedKey)?.importedAt !== undefined;
      return isImported ? importedAdvisories(table, told) : upstreamAdvisories(table, asked, told);
    };
    const advisories = source && told.length > 0 ? await ask(source) : {};
    return { kind: 'bytes', mediaType: 'application/json', content: JSON.stringify({ advisories }) };
  },
  { alsoRead: (request) => [...alsoReadSources(request), feedKey] },
);
