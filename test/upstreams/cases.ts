import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Table } from '../../shared/table/client.ts';
import { upstreamPauseKey } from '../../shared/table/packages/package-keys.ts';
import { readUsage } from '../../shared/table/packages/usage.ts';
import type { Answer } from '../harness/client.ts';
import { createRemote } from '../harness/repositories.ts';
import { whenAvailable } from '../harness/retry.ts';
import type { Service } from '../harness/service.ts';
import { readItems } from '../harness/stored-items.ts';
import { Upstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';
import { kinds, type Part, type Type } from './kinds.ts';
import type { Way } from './ways.ts';

/** What an upstream does, until it recovers. */
interface Badness {
  readonly part: Part;
  readonly answer: RequestListener;
  readonly meet?: ((socket: Socket) => void) | undefined;
}

/** A remote repository whose upstream misbehaves. */
export interface BadRemote {
  readonly upstream: Upstream;
  readonly repository: Named;
  readonly recover: () => void;
  /** How many requests it answered badly. */
  readonly badAnswers: () => number;
}

/** What a fetch leaves when it fails. */
export const nothing = { bytes: 0, files: 0, items: [] };

const visible = { file: / (FILE|VERSION)#/, index: / (FILE|VERSION|CACHE)#/ };

/** What is left of a fetch of this part: what a reader could see, and the bytes that are counted. */
export const keptOf = async ({ id }: Named, part: Part) => {
  const { bytes, files } = await readUsage(new Table(), id);
  const items = (await readItems()).map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
  return { bytes, files, items: items.filter((key) => key.startsWith(`PACKAGE#${id}#`) && visible[part].test(key)) };
};

/** A workspace with remote repositories, whose upstreams misbehave. */
export const useBadRemotes = (service: Service) => {
  const upstreams: Upstream[] = [];
  const setting = {} as { workspace: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    Object.assign(setting, { workspace, admin });
  });
  afterAll(() => Promise.all(upstreams.map((upstream) => upstream.stop())));

  const get = async (type: Type, repository: Named, part: Part, query = ''): Promise<Answer> => {
    const ask = async (): Promise<Answer> =>
      service.client.sendTo(kinds[type].contract, {
        path: `/${type}/${setting.workspace.name}/${repository.name}/${kinds[type].pathOf(part)}${query}`,
        headers: [['Authorization', setting.admin.bearer]],
      });
    const answer = await ask();
    // That is the machine, and not the upstream.
    return answer.code === 'SERVICE_UNAVAILABLE' ? whenAvailable(ask) : answer;
  };

  /** Goes where the answers lead until one is no redirect to wait: on a busy machine a fetch may take its time. */
  const follow = async (type: Type, repository: Named, part: Part): Promise<Answer> => {
    for (let answer = await get(type, repository, part); ; ) {
      const [wait] = /\?wait=\d$/.exec(String(answer.headers.location)) ?? [];
      if (wait === undefined) return answer;
      answer = await get(type, repository, part, wait);
    }
  };

  const remote = async (type: Type, { part, answer, meet = () => undefined }: Badness): Promise<BadRemote> => {
    const upstream = new Upstream();
    upstreams.push(upstream);
    await upstream.start();
    const { urlOf, good, partOf } = kinds[type];
    const isBad = (path: string): boolean => type === 'universal' || partOf(path) === part;
    upstream.meet = meet;
    let bad = 0;
    upstream.answer = (request, response) => {
      const isNow = isBad(request.url?.split('?')[0] ?? '');
      if (isNow) bad += 1;
      (isNow ? answer : good(upstream.url))(request, response);
    };
    const repository = await createRemote(service, setting.workspace, {
      packageType: type,
      remoteRepositoryUrl: urlOf(upstream.url),
    });
    const recover = (): void => {
      upstream.answer = good(upstream.url);
      upstream.meet = () => undefined;
    };
    return { upstream, repository, recover, badAnswers: () => bad };
  };

  /** Asks an upstream that misbehaves, looks what that left, and asks again when it has recovered. */
  const run = async (type: Type, { part, answer, meet, pauseSeconds }: Way) => {
    const { upstream, repository, recover } = await remote(type, { part, answer, meet });
    const first = await follow(type, repository, part);
    const kept = await keptOf(repository, part);
    recover();
    const paused = pauseSeconds !== undefined && (await get(type, repository, part));
    if (pauseSeconds !== undefined) await new Table().writeUnrecorded([{ remove: upstreamPauseKey(repository.id) }]);
    const next = await follow(type, repository, part);
    return { host: upstream.host, first, kept, paused, next };
  };

  return { get, follow, remote, run, setting };
};
