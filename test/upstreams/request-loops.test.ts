import { type RequestListener, request as send } from 'node:http';
import { createRemoteRepository, updateRepository } from '../../functions/repositories/contracts.ts';
import { getHealth } from '../../functions/system/contracts.ts';
import { createRemote } from '../harness/repositories.ts';
import { useService } from '../harness/service.ts';
import { serving, useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { contentOf, type Wanted } from './contents.ts';

const service = useService({ hasDoor: true });
const upstream = useUpstream();
const foreign = '1.1 stockroom-0123456789abcdef';

let workspace: Named;
let admin: Actor;
beforeAll(async () => {
  [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
});

const { contents, document } = contentOf.npm('http://upstream.example');
const { contract, path } = document as Wanted;

const ask = async (repository: Named, headers: readonly (readonly [string, string])[] = []) =>
  service.client.sendTo(contract, {
    path: `/npm/${workspace.name}/${repository.name}/${path}`,
    headers: [['Authorization', admin.bearer], ...headers],
  });

/** Another service in between: it sends each request on to this one, with whatever it adds to `Via`. */
const relaying =
  (to: () => string, mark: string): RequestListener =>
  ({ url, headers }, response) => {
    const via = `${headers.via ?? ''}, ${mark}`;
    const call = send(
      to() + (url ?? ''),
      { headers: { authorization: headers.authorization, via }, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, { 'content-type': answer.headers['content-type'] });
        answer.pipe(response);
      },
    );
    call.end();
  };

describe('A request that comes back to its service', () => {
  it.each(['the door', 'the API'])('is refused at once by %s, and asks nobody again', async (entry) => {
    const name = uniqueName();
    const to = () =>
      `${entry === 'the door' ? service.runner.url : service.runner.apiUrl}/npm/${workspace.name}/${name}`;
    upstream.answer = relaying(to, foreign);
    const [remoteRepositoryUsername, remoteRepositoryPassword] = ['token', admin.bearer.slice('Bearer '.length)];
    const repository = await createRemote(service, workspace, {
      name,
      packageType: 'npm',
      remoteRepositoryUrl: upstream.url,
      remoteRepositoryUsername,
      remoteRepositoryPassword,
      isRemoteCacheEnabled: false,
    });
    const { status, code, problem } = await ask(repository);
    expect([status, code, problem?.detail]).toEqual([
      502,
      'UPSTREAM_FAILED',
      `${upstream.host} leads back to a service that has passed this request on (HTTP 508).`,
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('is refused with 508 REQUEST_LOOP in words, whatever it asks for', async () => {
    upstream.answer = serving(contents['/tool'] ?? '');
    await ask(await createRemote(service, workspace, { packageType: 'npm', remoteRepositoryUrl: upstream.url }));
    const via = upstream.requests[0]?.headers.via ?? '';
    expect(via).toMatch(/^1\.1 stockroom-[0-9a-f]{16}$/);
    for (const url of [service.runner.url, service.runner.apiUrl])
      for (const value of [via, `1.0 squid, ${via}`, `${foreign},${via}, 1.1 edge.example (Edge)`]) {
        const answer = await fetch(url + getHealth.path, { headers: { via: value } });
        const { code, detail } = (await answer.json()) as { code: string; detail: string };
        expect([answer.status, code, detail]).toEqual([
          508,
          'REQUEST_LOOP',
          expect.stringContaining('leads back to this service'),
        ]);
      }
    expect((await fetch(service.runner.url + getHealth.path, { headers: { via: foreign } })).status).toBe(200);
  });

  it('is known after a way through other services: their marks go on, and nothing else of Via', async () => {
    upstream.answer = serving(contents['/tool'] ?? '');
    const repository = await createRemote(service, workspace, {
      packageType: 'npm',
      remoteRepositoryUrl: upstream.url,
    });
    await ask(repository, [['Via', `1.1 proxy.corp.example (Squid), ${foreign}`]]);
    expect(upstream.requests[0]?.headers.via).toMatch(new RegExp(`^${foreign}, 1\\.1 stockroom-[0-9a-f]{16}$`));
  });
});

describe('The service itself as an upstream', () => {
  const sentence =
    'remoteRepositoryUrl must not lead to this service itself. To combine repositories of this service, create a virtual repository.';
  const own = () => [`${service.runner.url}/npm/a/b/`, service.runner.url.toUpperCase()];

  it('is refused with 400 REQUEST_INVALID when a repository is created', async () => {
    for (const remoteRepositoryUrl of own()) {
      const body = { name: uniqueName(), packageType: 'npm', remoteRepositoryUrl, isRemoteCacheEnabled: true } as const;
      const params = { workspace: workspace.id };
      const { status, problem } = await service.client.attempt(createRemoteRepository, {
        params,
        body,
        as: admin.bearer,
      });
      expect([status, problem?.violations]).toEqual([
        400,
        [{ pointer: '/remoteRepositoryUrl', rule: 'loop', message: sentence }],
      ]);
    }
  });

  it('is refused with 400 REQUEST_INVALID when a repository is changed, in the form of its type', async () => {
    const repository = await createRemote(service, workspace, {
      packageType: 'cargo',
      remoteRepositoryUrl: 'sparse+https://index.crates.io/',
    });
    for (const url of own()) {
      const { status, problem } = await service.client.attempt(updateRepository, {
        params: { workspace: workspace.id, repository: repository.id },
        body: { remoteRepositoryUrl: `sparse+${url}` },
        as: admin.bearer,
      });
      expect([status, problem?.violations[0]?.message]).toEqual([400, sentence]);
    }
  });

  it('is not every service of the same machine', async () => {
    await createRemote(service, workspace, { packageType: 'npm', remoteRepositoryUrl: upstream.url });
  });
});
