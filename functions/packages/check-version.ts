import { invalid } from '../../shared/errors.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import type { Infer } from '../../shared/http/schema.ts';
import { decisionOnWithdrawn } from '../../shared/packages/gate/gated-file.ts';
import type { NamedVersion, UpstreamReleases } from '../../shared/packages/gate/version-releases.ts';
import type { Decision } from '../../shared/packages/releases/gate-of.ts';
import { type OpenGate, wholeGateFor } from '../../shared/packages/releases/open-gate.ts';
import { mappedInOrder } from '../../shared/packages/serve/ordered-map.ts';
import { noVersion, spelledVersion } from '../../shared/packages/sources/name-rules.ts';
import { addressedSources, alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import { answeringSources, holderKeys, isRemote } from '../../shared/packages/sources/resolution.ts';
import { type FetchRequest, fetchRequest } from '../../shared/packages/upstream/upstream-request.ts';
import { versionKey } from '../../shared/table/packages/package-keys.ts';
import { isLive } from '../../shared/table/packages/packages.ts';
import { contentIdOf } from '../../shared/table/repositories/repositories.ts';
import type { RemoteSource } from '../../shared/table/repositories/verdicts.ts';
import { findReleases } from '../package-releases.ts';
import type { checkedVersionSchema } from './check-schemas.ts';
import { checkVersion } from './contracts.ts';
import { rulingFor, strictest, toldOf } from './decisions.ts';

type Checked = Infer<typeof checkedVersionSchema>['repositories'][number];

/** What is decided of a version that is kept, and that its upstream does not list. */
const decidedOnKept = async (
  { table }: FetchRequest,
  source: RemoteSource,
  { gate, ...open }: OpenGate,
  { name, version }: NamedVersion,
): Promise<Decision | undefined> => {
  if (!gate) return undefined;
  const key = versionKey({ contentId: contentIdOf(source), name }, version);
  const kept = (await table.read([key])).find(key);
  return isLive(kept) ? decisionOnWithdrawn({ ...open, gate }, name, kept) : undefined;
};

/** What is decided of a version; undefined if nobody has it. Verdicts and advisories decide whether or not it is listed. */
const decide = async (
  request: FetchRequest,
  source: RemoteSource,
  open: OpenGate,
  asked: NamedVersion,
  { type, sent }: { readonly type: UpstreamReleases; readonly sent: string },
): Promise<Decision | undefined> => {
  const ruling = type.rulingAtUpstream
    ? await type.rulingAtUpstream(request, source, asked)
    : rulingFor(type, source, open, asked);
  if (ruling) return ruling;
  const listed = await type.versionReleases(request, source, asked);
  // Not every upstream spells versions as their type does.
  const releases =
    listed.length > 0 ? listed : await type.versionReleases(request, source, { ...asked, version: sent });
  return strictest(open, asked.name, releases) ?? decidedOnKept(request, source, open, asked);
};

const checked = (
  { repositoryId, name: repositoryName }: RemoteSource,
  open: OpenGate,
  asked: NamedVersion,
  decided: Decision | undefined,
): Checked => {
  const { state = 'unlisted', why: reason, ...told } = toldOf(open, asked, decided);
  return { repositoryId, repositoryName, decision: state, reason, ...told };
};

export const handler = endpoint(
  checkVersion,
  async (call) => {
    const { body, repository, table, loaded } = call;
    const { packageName } = body;
    const type = await findReleases(repository.packageType);
    if (!type) return { packageName, version: body.version, repositories: [] };
    const { spelling } = type.definition;
    const name = spelling.normalize(packageName);
    const version = spelledVersion(spelling, body.version);
    if (version === undefined)
      throw invalid([noVersion(repository.packageType, { pointer: '/version', field: 'version', text: body.version })]);
    const sources = addressedSources(call, type.definition);
    const read = await table.read(holderKeys(sources, name), loaded);
    const request = fetchRequest({ table });
    const asked = answeringSources(sources, name, read).filter(isRemote);
    const repositories = await mappedInOrder(asked, async (source) => {
      await source.advisories?.read(table, name);
      const open = wholeGateFor(source, name);
      const wanted = { name, version };
      return checked(source, open, wanted, await decide(request, source, open, wanted, { type, sent: body.version }));
    });
    return { packageName: name, version, repositories };
  },
  { alsoRead: alsoReadSources },
);
