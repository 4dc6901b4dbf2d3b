import type { RequestListener } from 'node:http';
import type { Answer } from '../harness/client.ts';
import { statusCounts } from '../harness/concurrency.ts';
import { createRemote } from '../harness/repositories.ts';
import { allCases, oneOfEach, sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { refusing, serving, useUpstream } from '../harness/upstream.ts';
import { type Actor, type Named, newPassword } from '../harness/world.ts';
import { contentOf, contentTypes, type UpstreamContent, type Wanted } from '../upstreams/contents.ts';

const service = useService();
const upstream = useUpstream();
const clients = allCases || process.env.ALL_WAYS ? 20 : 8;
jest.setTimeout(60_000);
/** How long the upstream takes for an answer. Who comes after a failure may ask again, so all clients ask before. */
const thinkingMilliseconds = { good: 300, bad: 1_000 };

let workspace: Named;
let admin: Actor;
beforeAll(async () => {
  [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
});

type Type = (typeof contentTypes)[number];

const remote = async (packageType: Type, fields: Parameters<typeof createRemote>[2] = {}): Promise<Named> => {
  const { urlEnd = '' }: UpstreamContent = contentOf[packageType](upstream.url);
  return createRemote(service, workspace, { packageType, remoteRepositoryUrl: upstream.url + urlEnd, ...fields });
};

const ask = async (type: Type, repository: Named, { contract, path }: Wanted): Promise<Answer> =>
  service.client.sendTo(contract, {
    path: `/${type === 'docker' ? 'v2' : type}/${workspace.name}/${repository.name}/${path}`,
    headers: [['Authorization', admin.bearer]],
  });

const askAtOnce = async (type: Type, repository: Named, wanted: Wanted): Promise<Answer[]> =>
  Promise.all(Array.from({ length: clients }, () => ask(type, repository, wanted)));

/** Answers from the content, after a while, but for the path at which something else happens. */
const offer = (
  { contents, headers }: UpstreamContent,
  other?: { readonly at: string; readonly answer: RequestListener },
): void => {
  upstream.answer = (request, response) => {
    const { url = '' } = request;
    const found = contents[url];
    const good = found === undefined ? refusing(404) : serving(found, headers);
    const isOther = other?.at === url;
    const answer = isOther ? other.answer : good;
    setTimeout(() => answer(request, response), thinkingMilliseconds[isOther ? 'bad' : 'good']);
  };
};

const asked = (): string[] => upstream.requests.map(({ method, url }) => `${method} ${url}`);
const askedFor = ({ at }: Wanted): number => upstream.requests.filter(({ url }) => url === at).length;

/** Whether each type is asked for each part, as `npm run test:upstreams` asks; `npm test` asks one of the alike for one, in turn. */
const allWays = process.env.ALL_WAYS !== undefined;

const similar: readonly (readonly Type[])[] = [
  ['npm', 'pypi', 'cargo', 'helm', 'composer', 'gems', 'nuget', 'chocolatey'],
  ['maven', 'go'],
  ['docker', 'universal'],
];
const alike = [...similar, ...contentTypes.filter((type) => !similar.flat().includes(type)).map((type) => [type])];

type Question = { readonly type: Type; readonly part: 'document' | 'file' };

const cases: readonly Question[] = oneOfEach(alike, allWays).flatMap((type, at) => {
  const parts = type === 'universal' ? (['file'] as const) : (['document', 'file'] as const);
  return (allWays ? parts : sampleOf(parts, (today >> 1) + at)).map((part) => ({ type, part }));
});

const find = (content: UpstreamContent, part: 'document' | 'file'): Wanted => {
  const wanted = content[part];
  if (!wanted) throw new Error('There is no such part.');
  return wanted;
};

describe('What nobody has is asked for once, however many want it', () => {
  it.each(cases)('$type: a $part', async ({ type, part }) => {
    const content = contentOf[type](upstream.url);
    const wanted = find(content, part);
    offer(content);
    const answers = await askAtOnce(type, await remote(type), wanted);
    expect(statusCounts(answers)).toEqual({ 200: clients });
    for (const { text } of answers) expect(text).toContain(wanted.text);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(asked()).toEqual([...new Set(asked())]);
    expect(askedFor(wanted)).toBe(1);
  });

  it('but for each repository of its own, with its credentials', async () => {
    const content = contentOf.npm(upstream.url);
    offer(content);
    const passwords = [newPassword(), newPassword()];
    const repositories = await Promise.all(
      passwords.map((remoteRepositoryPassword) =>
        remote('npm', { remoteRepositoryUsername: 'ci', remoteRepositoryPassword }),
      ),
    );
    const answers = await Promise.all(
      repositories.map((repository) => askAtOnce('npm', repository, find(content, 'document'))),
    );
    expect(statusCounts(answers.flat())).toEqual({ 200: 2 * clients });
    const basic = passwords.map((password) => `Basic ${Buffer.from(`ci:${password}`).toString('base64')}`);
    expect(upstream.requests).toHaveLength(2);
    expect(new Set(upstream.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(basic));
  });

  it('and again for who comes later, if it is not kept', async () => {
    const content = contentOf.npm(upstream.url);
    const wanted = find(content, 'document');
    offer(content);
    const repository = await remote('npm', { isRemoteCacheEnabled: false });
    await askAtOnce('npm', repository, wanted);
    expect(askedFor(wanted)).toBe(1);
    await ask('npm', repository, wanted);
    expect(askedFor(wanted)).toBe(2);
  });
});

interface Failure {
  readonly title: string;
  readonly answer: RequestListener;
  readonly refusal: string;
}

const failures: readonly Failure[] = [
  { title: 'answers 500', answer: refusing(500), refusal: '502 UPSTREAM_FAILED' },
  { title: 'hangs up', answer: (request) => void request.destroy(), refusal: '504 UPSTREAM_TIMEOUT' },
];

describe('If the upstream fails whoever asked first, no others storm it', () => {
  // Neighbours meet different failures.
  const failing = cases.flatMap(({ type, part }, at) =>
    (allWays ? failures : sampleOf(failures, (today >> 2) + at)).map((failure) => ({ type, part, failure })),
  );

  it.each(failing)(
    '$type: it $failure.title when asked for a $part',
    async ({ type, part, failure: { answer, refusal } }) => {
      const content = contentOf[type](upstream.url);
      const wanted = find(content, part);
      offer(content, { at: wanted.at, answer });
      const answers = await askAtOnce(type, await remote(type), wanted);
      expect(statusCounts(answers)).toEqual({ [refusal]: clients });
      expect(askedFor(wanted)).toBeLessThanOrEqual(2);
    },
  );

  it.each(allWays ? failing : sampleOf(failing.slice(0, 4), today >> 1, 2))(
    '$type: it $failure.title once when asked for a $part',
    async ({ type, part, failure: { answer, refusal } }) => {
      const content = contentOf[type](upstream.url);
      const wanted = find(content, part);
      const repository = await remote(type);
      let isFirst = true;
      offer(content, {
        at: wanted.at,
        answer: (...exchange) => {
          (isFirst ? answer : serving(content.contents[wanted.at] ?? '', content.headers))(...exchange);
          isFirst = false;
        },
      });
      const answers = await askAtOnce(type, repository, wanted);
      for (const { status, code, text } of answers)
        if (status === 200) expect(text).toContain(wanted.text);
        else expect(`${status} ${code}`).toBe(refusal);
      expect(askedFor(wanted)).toBeLessThanOrEqual(2);
      expect((await ask(type, repository, wanted)).text).toContain(wanted.text);
    },
  );
});
