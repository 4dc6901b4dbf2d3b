import { getDebianDocument } from '../../functions/debian/contracts.ts';
import { getImageContent } from '../../functions/docker/contracts.ts';
import { getDistTags, getNpmDocument } from '../../functions/npm/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { getPypiDocument } from '../../functions/pypi/contracts.ts';
import { getUniversalFile } from '../../functions/universal/contracts.ts';
import { environment } from '../../shared/config.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { pendingAnswer } from '../../shared/packages/serve/wait-redirects.ts';
import { Table } from '../../shared/table/client.ts';
import {
  documentFetchKey,
  fileFetchKey,
  fileKey,
  packageItemsList,
  packagesList,
} from '../../shared/table/packages/package-keys.ts';
import { readUsage } from '../../shared/table/packages/usage.ts';
import type { Answer } from '../harness/client.ts';
import { digestOf, indexMediaType } from '../harness/images.ts';
import { itAnswers } from '../harness/it-answers.ts';
import { packumentOf, upstreamTarballOf } from '../harness/npm.ts';
import { endLeaseOf, handedOver, refusalOf, stored } from '../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../harness/repositories.ts';
import { reachingLoopback, useService } from '../harness/service.ts';
import { refusing, serving, slowed, trickling, Upstream } from '../harness/upstream.ts';
import type { Actor, Named } from '../harness/world.ts';
import { distsOf } from '../types/debian-upstreams.ts';

/** Of this time an upstream has three quarters for 16 kB, which a busy machine needs, too. A request expects 25 MB of each second. */
const answerMilliseconds = 4_000;
const service = useService({
  environment: { ...reachingLoopback, [environment.upstreamAnswerMilliseconds]: `${answerMilliseconds}` },
});
/** The workspaces of repositories: a workspace has five fetches at once, and here many go on. */
const homes = new Map<string, Named>();
const homeOf = ({ id }: Pick<Named, 'id'>): Named => {
  const found = homes.get(id);
  if (!found) throw new Error('The repository has no workspace.');
  return found;
};
const inHome = <T extends Pick<Named, 'id'>>(home: Named, repository: T): T => {
  homes.set(repository.id, home);
  return repository;
};
let admin: Actor;
const upstreams: Upstream[] = [];

const filePath = 'tools/formatter/1.0.0/formatter.bin';
const address = { name: 'tools/formatter', version: '1.0.0', file: 'formatter.bin' };

/** A remote repository over an upstream of its own. */
const remote = async (fields: Parameters<typeof createRemote>[2] = {}) => {
  const upstream = new Upstream();
  upstreams.push(upstream);
  await upstream.start();
  const remoteRepositoryUrl = `${upstream.url}/files/{package-name}/{version}/{file}`;
  const universal = { packageType: 'universal', remoteRepositoryUrl } as const;
  const home = await service.world.workspace();
  return { upstream, repository: inHome(home, await createRemote(service, home, { ...universal, ...fields })) };
};

const addressOf = (repository: Named): string => `/universal/${homeOf(repository).name}/${repository.name}/${filePath}`;

const send = async (contract: Contract, path: string) =>
  service.client.sendTo(contract, { path, headers: [['Authorization', admin.bearer]] });

const get = async (repository: Named, wait?: number) =>
  send(getUniversalFile, addressOf(repository) + (wait === undefined ? '' : `?wait=${wait}`));

/** Goes where the answers lead, as a client does, until one is no redirect to wait. */
const followTo = async (contract: Contract, path: string) => {
  const places: string[] = [];
  for (let answer = await send(contract, path); ; ) {
    const location = answer.headers.location?.toString();
    if (!location || !new URL(location).searchParams.has('wait')) return { answer, places };
    places.push(location);
    answer = await send(contract, location.slice(service.runner.url.length));
  }
};

const follow = async (repository: Named) => followTo(getUniversalFile, addressOf(repository));

/** A remote repository of npm over an upstream whose packument takes longer than a request. */
const npmRemote = async (fields: Parameters<typeof createRemote>[2] = {}, beside?: Named) => {
  const upstream = new Upstream();
  upstreams.push(upstream);
  await upstream.start();
  const packument = (...versions: readonly string[]): string =>
    JSON.stringify(packumentOf(upstream.url, 'left-pad', Object.fromEntries(versions.map((version) => [version, {}]))));
  const answerSlowly = (content = packument('1.0.0')): void => {
    upstream.answer = trickling(1.2 * answerMilliseconds, (response) => void response.end(content), ' ');
  };
  answerSlowly();
  const home = beside ? homeOf(beside) : await service.world.workspace();
  const repository = inHome(home, await createRemote(service, home, { remoteRepositoryUrl: upstream.url, ...fields }));
  return { upstream, repository, packument, answerSlowly };
};

/** One that keeps nothing, and whose tarballs come at once. */
const slowPackuments = async () => {
  const { upstream, repository } = await npmRemote({ isRemoteCacheEnabled: false });
  const slow = upstream.answer;
  upstream.answer = (request, response) =>
    (request.url?.endsWith('.tgz') ? serving(upstreamTarballOf('left-pad', '1.0.0')) : slow)(request, response);
  return { upstream, repository };
};

const npmPath = (repository: Named, rest = 'left-pad'): string =>
  `/npm/${homeOf(repository).name}/${repository.name}/${rest}`;

const followPackument = async (repository: Named, rest?: string) => followTo(getNpmDocument, npmPath(repository, rest));

const versionsIn = ({ text }: Answer): string[] =>
  Object.keys((JSON.parse(text) as { versions?: Record<string, unknown> }).versions ?? {});

/** A remote repository over an upstream that promises names by hashes, and has its list by its plain name alone: to who asks twice. */
const debianRemote = async (home: Named, fields: Parameters<typeof createRemote>[2] = {}) => {
  const upstream = new Upstream();
  upstreams.push(upstream);
  await upstream.start();
  const site = distsOf({ 'pool/main/tool_1.0_all.deb': 'tool' }, { hasHashes: 'promised', isPlain: true });
  let isSlow = true;
  upstream.answer = (request, response) => {
    const content = site[request.url?.slice(1) ?? ''];
    const isList = request.url?.endsWith('/Packages') && isSlow;
    if (isList) isSlow = false;
    const answer = content === undefined ? refusing(404) : isList ? trickling(60_000) : serving(content);
    answer(request, response);
  };
  return createRemote(service, home, { packageType: 'debian', remoteRepositoryUrl: upstream.url, ...fields });
};

/** Everything that the table has of a package. */
const itemsOf = async (repository: Named, name: string) =>
  (await new Table().query(packageItemsList({ contentId: repository.id, name }))).items.map(
    ({ position }) => position.split('#')[0],
  );

const refOf = (repository: Named) => ({ contentId: repository.id, name: address.name });
const keyOfFetch = (repository: Named) => fileFetchKey(refOf(repository), address.version, address.file);
const keyOfFile = (repository: Named) => fileKey(refOf(repository), address.version, address.file);

const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
};

/** All of these wait most of the time, so they run at the same time; each test looks at what became of one. */
const scenarios = {
  slow: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(1.2 * answerMilliseconds);
    const clients = await Promise.all(Array.from({ length: 5 }, () => follow(repository)));
    return { repository, clients, asked: upstream.requests.length };
  },
  large: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = (request, response) => {
      if (upstream.requests.length > 1) serving('the file')(request, response);
      else response.writeHead(200, { 'Content-Length': String(25_000 * answerMilliseconds + 1) }).flushHeaders();
    };
    const { answer } = await follow(repository);
    return { answer, asked: upstream.requests.length };
  },
  endless: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(60_000);
    await get(repository);
    return get(repository, 5);
  },
  failing: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(1.2 * answerMilliseconds, (response) => void response.destroy());
    const clients = await Promise.all([follow(repository), follow(repository)]);
    const kept = await stored(keyOfFile(repository));
    upstream.answer = serving('the file');
    return { upstream, clients, kept, next: await get(repository) };
  },
  absent: async () => {
    const { upstream, repository } = await remote();
    upstream.answer = (request, response) =>
      (upstream.requests.length > 1 ? refusing(404) : trickling(60_000))(request, response);
    return follow(repository);
  },
  stale: async () => {
    const { upstream, repository } = await remote({ fileCacheTimeTillRevalidation: 1 });
    upstream.answer = serving('before');
    await get(repository);
    const before = (await stored(keyOfFile(repository)))?.blob.sha256;
    upstream.answer = trickling(1.2 * answerMilliseconds);
    const answer = await get(repository);
    await until(async () => (await stored(keyOfFile(repository)))?.blob.sha256 !== before);
    return { answer, asked: upstream.requests.length };
  },
  passed: async () => {
    const { upstream, repository } = await remote({ isRemoteCacheEnabled: false });
    upstream.answer = trickling(1.2 * answerMilliseconds);
    const clients = await Promise.all([follow(repository), follow(repository)]);
    const asked = upstream.requests.length;
    const later = await get(repository);
    const askedLater = upstream.requests.length;
    const items = await itemsOf(repository, address.name);
    const usage = await readUsage(new Table(), repository.id);
    const [{ items: packages }, key] = [await new Table().query(packagesList(repository.id)), keyOfFetch(repository)];
    await new Table().writeUnrecorded([
      { update: key, set: 'SET #staged.#copy.#checkedAt = :at', values: { ':at': Date.now() - 300_000 } },
    ]);
    upstream.answer = serving('new');
    return { clients, later, asked, askedLater, items, usage, packages, fresh: await get(repository) };
  },
  passedLarge: async () => {
    const { upstream, repository } = await remote({ isRemoteCacheEnabled: false });
    upstream.answer = (request, response) => {
      if (upstream.requests.length > 1) serving('the file')(request, response);
      else response.writeHead(200, { 'Content-Length': String(25_000 * answerMilliseconds + 1) }).flushHeaders();
    };
    return (await follow(repository)).answer;
  },
  passedFailing: async () => {
    const { upstream, repository } = await remote({ isRemoteCacheEnabled: false });
    upstream.answer = trickling(1.2 * answerMilliseconds, (response) => void response.destroy());
    const clients = await Promise.all([follow(repository), follow(repository)]);
    upstream.answer = serving('the file');
    return { upstream, clients, next: await get(repository) };
  },
  passedAbsent: async () => {
    const { upstream, repository } = await remote({ isRemoteCacheEnabled: false });
    upstream.answer = (request, response) =>
      (upstream.requests.length > 1 ? refusing(404) : trickling(60_000))(request, response);
    return (await follow(repository)).answer;
  },
  otherwise: async () => {
    const home = await service.world.workspace();
    const at = async ({ name }: Named, path: string) => {
      const { answer } = await followTo(getDebianDocument, `/debian/${home.name}/${name}/dists/stable/${path}`);
      return answer;
    };
    const [local, kept, passed, read] = await Promise.all([
      service.world.repository(home, undefined, 'debian'),
      debianRemote(home),
      debianRemote(home, { isRemoteCacheEnabled: false }),
      debianRemote(home),
    ]);
    const virtual = await createVirtual(service, home, [local, read], { packageType: 'debian' });
    const list = 'main/binary-amd64/Packages';
    return Promise.all([at(kept, list), at(passed, list), at(virtual, 'InRelease')]);
  },
  document: async () => {
    const { upstream, repository } = await npmRemote();
    const { answer, places } = await followPackument(repository, 'left-pad?write=true');
    const asked = upstream.requests.map(({ headers }) => headers.accept);
    const next = await send(getNpmDocument, npmPath(repository, 'left-pad?write=true'));
    return { repository, answer, places, asked, next, askedLater: upstream.requests.length };
  },
  documentPassed: async () => {
    const { upstream, repository } = await npmRemote({ isRemoteCacheEnabled: false });
    const { answer } = await followPackument(repository);
    return { answer, asked: upstream.requests.length, items: await itemsOf(repository, 'left-pad') };
  },
  documentStale: async () => {
    const { upstream, repository, packument, answerSlowly } = await npmRemote({ metadataCacheTimeTillRevalidation: 1 });
    upstream.answer = serving(packument('1.0.0'));
    await send(getNpmDocument, npmPath(repository));
    answerSlowly(packument('1.0.0', '2.0.0'));
    const stale = await send(getNpmDocument, npmPath(repository));
    const key = documentFetchKey({ contentId: repository.id, name: 'left-pad' }, 'packument full');
    await until(async () => (await stored(key))?.staged !== undefined);
    return { stale, next: await send(getNpmDocument, npmPath(repository)), asked: upstream.requests.length };
  },
  documentFailing: async () => {
    const { upstream, repository, packument } = await npmRemote();
    upstream.answer = trickling(1.2 * answerMilliseconds, (response) => void response.destroy(), ' ');
    const { answer } = await followPackument(repository);
    upstream.answer = serving(packument('1.0.0'));
    return { upstream, answer, next: await send(getNpmDocument, npmPath(repository)) };
  },
  documentWrong: async () => {
    const { upstream, repository, packument, answerSlowly } = await npmRemote();
    answerSlowly('no JSON');
    const { answer } = await followPackument(repository);
    upstream.answer = serving(packument('1.0.0'));
    return { answer, next: await send(getNpmDocument, npmPath(repository)) };
  },
  documentAbsent: async () => {
    const { upstream, repository } = await npmRemote();
    upstream.answer = (request, response) =>
      (upstream.requests.length > 1 ? refusing(404) : trickling(60_000))(request, response);
    return (await followPackument(repository)).answer;
  },
  documentRedirected: async () => {
    const upstream = new Upstream();
    upstreams.push(upstream);
    await upstream.start();
    const file = 'demo-1.0.tar.gz';
    const page = {
      meta: { 'api-version': '1.0' },
      name: 'demo',
      files: [{ filename: file, url: `../../${file}`, hashes: {} }],
    };
    upstream.answer = (request, response) => {
      if (request.url === '/simple/demo/') response.writeHead(301, { Location: '/mirror/simple/demo/?key=1' }).end();
      else trickling(1.2 * answerMilliseconds, (late) => void late.end(JSON.stringify(page)), ' ')(request, response);
    };
    const home = await service.world.workspace();
    const fields = { packageType: 'pypi', remoteRepositoryUrl: upstream.url } as const;
    const { name } = await createRemote(service, home, fields);
    const pathTo = (rest: string): string => `/pypi/${home.name}/${name}/${rest}`;
    await followTo(getPypiDocument, pathTo('simple/demo/'));
    upstream.answer = refusing(404);
    await send(getPypiDocument, pathTo(`files/demo/1.0/${file}`));
    return upstream.requests.at(-1)?.url;
  },
  tarball: async () => {
    const tarballPath = 'left-pad/-/left-pad-1.0.0.tgz';
    const [{ repository }, { repository: other, upstream }] = [await slowPackuments(), await slowPackuments()];
    const first = await followPackument(repository, tarballPath);
    await followPackument(other);
    const asked = upstream.requests.length;
    const next = await followPackument(other, tarballPath);
    return { ...first, next, askedAgain: upstream.requests.length - asked };
  },
  tags: async () => {
    const { repository } = await npmRemote();
    const tagsPath = npmPath(repository, '-/package/left-pad/dist-tags');
    const answer = await send(getDistTags, tagsPath);
    await until(async () => (await send(getDistTags, tagsPath)).status === 200);
    return { answer, next: await send(getDistTags, tagsPath) };
  },
  merged: async () => {
    const { repository } = await npmRemote();
    const { repository: other, upstream, packument } = await npmRemote({}, repository);
    upstream.answer = serving(packument('2.0.0'));
    const home = homeOf(repository);
    const virtual = inHome(home, await createVirtual(service, home, [repository, other]));
    const { answer, places } = await followPackument(virtual);
    const { repository: endless, upstream: slow } = await npmRemote({}, repository);
    slow.answer = trickling(60_000, undefined, ' ');
    const over = inHome(home, await createVirtual(service, home, [endless, other]));
    await send(getNpmDocument, npmPath(over));
    const last = await send(getNpmDocument, npmPath(over, 'left-pad?wait=5'));
    return { answer, places, last, only: await send(getNpmDocument, npmPath(endless, 'left-pad?wait=5')) };
  },
} as const;

type Outcomes = { [name in keyof typeof scenarios]: Awaited<ReturnType<(typeof scenarios)[name]>> };
const outcomes: Partial<Outcomes> = {};
const outcomeOf = <Name extends keyof Outcomes>(name: Name): Outcomes[Name] => {
  const outcome = outcomes[name];
  if (outcome === undefined) throw new Error(`The scenario ${name} did not end.`);
  return outcome;
};

beforeAll(async () => {
  admin = await service.world.systemAdmin();
  const runs = Object.entries(scenarios).map(async ([name, run]) => Object.assign(outcomes, { [name]: await run() }));
  await Promise.all(runs);
}, 120_000);
afterAll(() => Promise.all(upstreams.map((upstream) => upstream.stop())));

describe('A file that takes longer than a request', () => {
  itAnswers('200 at the address itself, which sends its client back meanwhile', async () => {
    const { repository, clients, asked } = outcomeOf('slow');
    for (const { answer, places } of clients) {
      expect([answer.text.replace(/^x{20000,}$/, 'all'), answer.headers['x-stockroom-cache']]).toEqual(['all', 'hit']);
      expect(places[0]).toBe(`${service.runner.url}${addressOf(repository)}?wait=1`);
    }
    // One by a request, one by the worker.
    expect(asked).toBe(2);
    return clients.map(({ answer }) => answer);
  });

  it("is the worker's at once where its length says so", () => {
    const { answer, asked } = outcomeOf('large');
    expect([answer.status, answer.text, asked]).toEqual([200, 'the file', 2]);
  });

  itAnswers('503 FILE_PENDING after the fifth time, with when to come back', async () => {
    const answer = outcomeOf('endless');
    expect(answer.headers['retry-after']).toBe('30');
    return answer;
  });

  itAnswers('502 UPSTREAM_FAILED for those who wait, when the upstream fails after all', async () => {
    const { upstream, clients, kept, next } = outcomeOf('failing');
    const answers = clients.map(({ answer }) => answer);
    for (const { text } of answers) expect(text).toContain(`${upstream.host} broke its answer off`);
    expect([kept, next.text]).toEqual([undefined, 'the file']);
    return answers;
  });

  itAnswers(
    '404 FILE_NOT_FOUND for those who wait, when there is no such file after all',
    async () => outcomeOf('absent').answer,
  );

  it('takes the place of a stale copy, which is served meanwhile', () => {
    const { answer, asked } = outcomeOf('stale');
    expect([answer.text, answer.headers['x-stockroom-cache'], asked]).toEqual(['before', 'stale', 3]);
  });

  itAnswers('503 SERVICE_UNAVAILABLE for those who wait, when the worker fails by our own fault', async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(1.2 * answerMilliseconds);
    service.proxy.inject({ functionId: 'fetcher', operation: 'TransactWriteItems', fault: 'server-error' });
    const { answer } = await follow(repository);
    expect(service.logs.some((line) => line.includes('The event failed 1 times'))).toBe(true);
    service.proxy.heal();
    upstream.answer = serving('the file');
    expect((await get(repository)).text).toBe('the file');
    return answer;
  });

  it('is fetched again by whoever comes next after its worker was killed', async () => {
    const { upstream, repository } = await remote();
    upstream.answer = trickling(60_000);
    await get(repository);
    await until(() => upstream.requests.length === 2);
    await service.runner.reload();
    upstream.answer = serving('the file');
    expect(await stored(keyOfFile(repository))).toBeUndefined();
    await endLeaseOf(keyOfFetch(repository));
    expect((await get(repository)).text).toBe('the file');
  });
});

describe('A list that takes longer than a request', () => {
  it('comes from its second address where there is nothing at the first one: kept, passed on, and read', () => {
    const [kept, passed, made] = outcomeOf('otherwise');
    expect(kept.text).toContain('Package: tool\n');
    expect([passed.status, made.status]).toEqual([302, 200]);
    expect(made.text).toContain(' main/binary-amd64/Packages\n');
  });
});

describe('A file of a repository that keeps nothing, which takes longer than a request', () => {
  it('comes to all who wait by a redirect to the staging area, and nothing of it is kept', async () => {
    const { clients, asked, items, usage, packages } = outcomeOf('passed');
    const bodies = await Promise.all(
      clients.map(async ({ answer }) => (await fetch(String(answer.headers.location))).text()),
    );
    for (const body of bodies) expect(body).toMatch(/^x{20000,}$/);
    for (const { places } of clients) expect(places[0]).toMatch(/\?wait=1$/);
    // One by each request, one by the worker.
    expect(asked).toBe(3);
    expect([items, packages]).toEqual([['FETCH'], []]);
    expect(usage).toEqual({ bytes: 0, files: 0, packages: 0 });
  });

  it('serves whoever asks within five minutes, and then the upstream is asked again', () => {
    const { clients, later, asked, askedLater, fresh } = outcomeOf('passed');
    const objectOf = ({ headers }: Answer): string => new URL(String(headers.location)).pathname;
    expect(new Set([later, ...clients.map(({ answer }) => answer)].map(objectOf)).size).toBe(1);
    expect([askedLater - asked, fresh.text]).toEqual([0, 'new']);
  });

  it("is the worker's at once where its length says so", async () => {
    const { headers } = outcomeOf('passedLarge');
    expect(await (await fetch(String(headers.location))).text()).toBe('the file');
  });

  itAnswers('502 UPSTREAM_FAILED for those who wait, when the upstream fails after all', async () => {
    const { upstream, clients, next } = outcomeOf('passedFailing');
    const answers = clients.map(({ answer }) => answer);
    for (const { text } of answers) expect(text).toContain(`${upstream.host} broke its answer off`);
    expect(next.text).toBe('the file');
    return answers;
  });

  itAnswers('404 FILE_NOT_FOUND for those who wait, when there is no such file after all', async () =>
    outcomeOf('passedAbsent'),
  );
});

describe('A packument that takes longer than a request', () => {
  itAnswers('200 at the address itself, query and all, and is kept', async () => {
    const { repository, answer, places, asked, next, askedLater } = outcomeOf('document');
    expect(places[0]).toBe(`${service.runner.url}${npmPath(repository)}?write=true&wait=1`);
    expect(versionsIn(answer)).toEqual(['1.0.0']);
    expect([asked.length, new Set(asked).size, askedLater]).toEqual([2, 1, 2]);
    expect([next.headers['x-stockroom-cache'], next.text]).toEqual(['hit', answer.text]);
    return [answer, next];
  });

  itAnswers('200 where nothing is kept, and nothing is', async () => {
    const { answer, asked, items } = outcomeOf('documentPassed');
    expect([versionsIn(answer), asked, items]).toEqual([['1.0.0'], 2, ['FETCH']]);
    return answer;
  });

  itAnswers('200 with the stale copy meanwhile, which the next request replaces', async () => {
    const { stale, next, asked } = outcomeOf('documentStale');
    expect([versionsIn(stale), stale.headers['x-stockroom-cache']]).toEqual([['1.0.0'], 'stale']);
    expect([versionsIn(next), next.headers['x-stockroom-cache'], asked]).toEqual([['1.0.0', '2.0.0'], 'miss', 3]);
    return [stale, next];
  });

  itAnswers('200 with the stale copy also where the worker cannot be asked', async () => {
    const { upstream, repository, packument, answerSlowly } = await npmRemote({ metadataCacheTimeTillRevalidation: 1 });
    upstream.answer = serving(packument('1.0.0'));
    await send(getNpmDocument, npmPath(repository));
    answerSlowly(packument('2.0.0'));
    // The lease on the copy is the first update, and that of the worker the second.
    const fault = { operation: 'UpdateItem', fault: 'server-error', after: 1 } as const;
    service.proxy.inject({ functionId: getNpmDocument.id, ...fault });
    const answer = await send(getNpmDocument, npmPath(repository));
    expect([versionsIn(answer), answer.headers['x-stockroom-cache']]).toEqual([['1.0.0'], 'stale']);
    return answer;
  });

  itAnswers(
    '502 UPSTREAM_FAILED for those who wait, when the upstream fails after all or sends no packument',
    async () => {
      const [{ upstream, answer, next }, wrong] = [outcomeOf('documentFailing'), outcomeOf('documentWrong')];
      expect(answer.text).toContain(`${upstream.host} broke its answer off`);
      expect(wrong.answer.text).toContain('sent a document that is not valid for this package type');
      expect([next, wrong.next].map(versionsIn)).toEqual([['1.0.0'], ['1.0.0']]);
      return [answer, wrong.answer];
    },
  );

  itAnswers('404 PACKAGE_NOT_FOUND for those who wait, when there is no such package after all', async () =>
    outcomeOf('documentAbsent'),
  );

  it('has links relative to where it is, after a redirect', () => {
    expect(outcomeOf('documentRedirected')).toBe('/mirror/demo-1.0.tar.gz');
  });

  itAnswers('200 for its tarball, once both have come', async () => {
    const { answer, places, next, askedAgain } = outcomeOf('tarball');
    // The upstream is asked for the tarball only: the packument is the one that came slowly, in whatever form.
    expect([next.answer.text, next.places, askedAgain]).toEqual([answer.text, [], 1]);
    expect(answer.text).toBe(upstreamTarballOf('left-pad', '1.0.0').toString());
    expect(places[0]).toMatch(/left-pad-1\.0\.0\.tgz\?wait=1$/);
    return answer;
  });

  itAnswers('503 FILE_PENDING for its dist-tags, with when to come back', async () => {
    const { answer, next } = outcomeOf('tags');
    expect([answer.headers['retry-after'], next.text]).toEqual(['30', '{"latest":"1.0.0"}']);
    return answer;
  });

  itAnswers(
    '200 with the other children of a virtual repository, and without it only after the fifth time',
    async () => {
      const { answer, places, last } = outcomeOf('merged');
      expect([versionsIn(answer), places.length > 0]).toEqual([['1.0.0', '2.0.0'], true]);
      expect([versionsIn(last), last.headers.warning]).toEqual([['2.0.0'], expect.stringContaining('199')]);
      return [answer, last];
    },
  );

  itAnswers('503 FILE_PENDING after the fifth time', async () => outcomeOf('merged').only);
});

describe('The worker', () => {
  it('fetches once what it is asked for twice', async () => {
    const { upstream, repository } = await remote();
    const event = await handedOver(homeOf(repository), repository, upstream);
    upstream.answer = serving('the file');
    await Promise.all([service.runner.invoke('fetcher', event), service.runner.invoke('fetcher', event)]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('fetches nothing for a repository that was emptied meanwhile', async () => {
    const { upstream, repository } = await remote();
    const event = await handedOver(homeOf(repository), repository, upstream);
    const params = { workspace: homeOf(repository).id, repository: repository.id };
    await service.client.succeed(deleteContent, { params, as: admin.bearer });
    await service.runner.invoke('fetcher', event);
    expect(upstream.requests).toEqual([]);
  });
});

describe('A manifest that takes longer than a request', () => {
  it('has the media type that it names itself, where the upstream gives it none: kept and passed on', async () => {
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType: indexMediaType, manifests: [] });
    const types = Array.from([true, false], async (isRemoteCacheEnabled) => {
      const { upstream, repository } = await npmRemote({ packageType: 'docker', isRemoteCacheEnabled });
      upstream.answer = slowed(answerMilliseconds, serving(manifest));
      const path = `/v2/${homeOf(repository).name}/${repository.name}/app/manifests/${digestOf(manifest)}`;
      const { answer, places } = await followTo(getImageContent, path);
      expect(places).not.toEqual([]);
      if (answer.status !== 302) return answer.headers['content-type'];
      return (await fetch(String(answer.headers.location))).headers.get('content-type');
    });
    expect(await Promise.all(types)).toEqual([indexMediaType, indexMediaType]);
  });
});

describe('A client that loses its credential on a redirect', () => {
  it('is asked to come later at once', async () => {
    const work = async (): Promise<unknown> => pendingAnswer({ url: 'https://host/path', query: {} }, 'refuse', {});
    expect((await refusalOf(work()))[0]).toBe('FILE_PENDING');
  });
});
