import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { checkComposerPackages } from '../../../functions/composer/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { advisoryFeedKey } from '../../../shared/table/repositories/advisory-keys.ts';
import { advisory, storeAdvisories } from '../../gates/stored-advisories.ts';
import type { Answer } from '../../harness/client.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { useUpstream } from '../../harness/upstream.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { useComposer } from '../../types/composer.ts';

const service = useService();
const upstream = useUpstream();
const { setting, get, send, published, urlOf } = useComposer(service);

const formType = 'application/x-www-form-urlencoded';
const formOf = (...names: string[]): string =>
  new URLSearchParams(names.map((name, at): [string, string] => [`packages[${at}]`, name])).toString();

const leak = {
  advisoryId: 'PKSA-1',
  packageName: 'acme/tool',
  affectedVersions: '<1.2.0',
  title: 'It leaks',
  link: 'https://example.com/1',
  cve: null,
  reportedAt: '2026-01-01 00:00:00',
  sources: [{ name: 'GitHub', remoteId: 'GHSA-1' }],
};

/** What was sent to the address of the upstream for advisories. */
let questions: { readonly type: string | undefined; readonly body: string }[];
beforeEach(() => {
  questions = [];
});

/** An upstream with this member in its packages.json, and this answer about advisories. */
const answering = (answer: unknown, member: unknown = { 'api-url': '/api/advisories/' }): void => {
  const listener = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    if (request.url === '/packages.json') {
      response.end(JSON.stringify({ 'metadata-url': '/p2/%package%.json', 'security-advisories': member }));
      return;
    }
    if (request.url === '/api/advisories/' && request.method === 'POST') {
      questions.push({ type: request.headers['content-type'], body: (await buffer(request)).toString() });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    } else response.writeHead(404).end();
  };
  upstream.answer = (request, response) => void listener(request, response);
};

const remote = async (): Promise<Named> =>
  createRemote(service, setting.workspace, { packageType: 'composer', remoteRepositoryUrl: upstream.url });
const virtualOver = async (...children: Named[]): Promise<Named> =>
  createVirtual(service, setting.workspace, children, { packageType: 'composer' });

const ask = async (repository: Named, form: string, headers = { 'Content-Type': formType }): Promise<Answer> =>
  send(checkComposerPackages, 'security-advisories', { repository, headers, body: Buffer.from(form) });
const advisoriesOf = async (repository: Named, ...names: string[]): Promise<unknown> =>
  (JSON.parse((await ask(repository, formOf(...names))).text) as { advisories: unknown }).advisories;

describe('POST /composer/{workspace}/{repository}/security-advisories', () => {
  itAnswers('200 with what the upstream says of the packages of the question, and of no other', async () => {
    answering({ advisories: { 'acme/tool': [leak], 'other/one': [leak] } });
    const answer = await ask(await remote(), 'packages[]=acme%2FTool&packages[7]=php&packages[8]=acme/tool&other=x');
    expect(JSON.parse(answer.text)).toEqual({ advisories: { 'acme/tool': [leak] } });
    expect(questions).toEqual([{ type: formType, body: 'packages%5B%5D=acme%2Ftool' }]);
    return answer;
  });

  it('tells the upstream no name that a local repository holds, and asks nobody about nothing', async () => {
    answering({ advisories: [] });
    const own = await published();
    const virtual = await virtualOver(setting.repository, await remote());
    expect(await advisoriesOf(virtual, own, 'acme/tool')).toEqual({});
    expect(await advisoriesOf(virtual, own)).toEqual({});
    expect(await advisoriesOf(virtual, 'php')).toEqual({});
    expect(await advisoriesOf(setting.repository, own, 'acme/tool')).toEqual({});
    expect(questions.map(({ body }) => body)).toEqual(['packages%5B%5D=acme%2Ftool']);
  });

  it('knows nothing where the upstream has no address for advisories, or nothing there', async () => {
    for (const member of [null, [], { metadata: true }, { 'api-url': 'ftp://x' }, { 'api-url': '/elsewhere' }]) {
      answering({ advisories: { 'acme/tool': [leak] } }, member);
      expect(await advisoriesOf(await remote(), 'acme/tool')).toEqual({});
    }
    upstream.answer = (_, response) => response.writeHead(404).end();
    expect(await advisoriesOf(await remote(), 'acme/tool')).toEqual({});
    expect(questions).toEqual([]);
  });

  it('is in packages.json where there is an upstream', async () => {
    const one = await remote();
    for (const repository of [one, await virtualOver(setting.repository, one)])
      expect(JSON.parse((await get('packages.json', { repository })).text)).toMatchObject({
        'security-advisories': { metadata: false, 'api-url': urlOf('security-advisories', repository) },
      });
    for (const repository of [setting.repository, await virtualOver(setting.repository)])
      expect(JSON.parse((await get('packages.json', { repository })).text)).not.toHaveProperty('security-advisories');
  });

  itAnswers(
    '504 UPSTREAM_TIMEOUT when the upstream does not answer within five seconds',
    async () => {
      upstream.answer = () => {};
      const startedAt = Date.now();
      const answer = await ask(await remote(), formOf('acme/tool'));
      expect(Date.now() - startedAt).toBeLessThan(7_000);
      return answer;
    },
    20_000,
  );
  itAnswers('502 UPSTREAM_FAILED when the upstream sends no JSON', async () => {
    answering('<html>');
    return ask(await remote(), formOf('acme/tool'));
  });
  itAnswers('400 BODY_MALFORMED when the form names no packages', async () => {
    const repository = await remote();
    return Promise.all(['', 'packages=acme/tool', '{"packages":["acme/tool"]}'].map((form) => ask(repository, form)));
  });
  itAnswers('415 MEDIA_TYPE_UNSUPPORTED when the body is no form', async () =>
    ask(await remote(), '{}', { 'Content-Type': 'application/json' }),
  );
  itAnswers('400 REQUEST_INVALID when it is about thousands of packages', async () =>
    ask(await remote(), formOf(...Array.from({ length: 5_001 }, (_, at) => `a/p${at}`))),
  );
});

describe('An audit of Composer where advisories were imported', () => {
  const importedAt = async (time: string | undefined): Promise<void> => {
    const feed = { packageType: 'composer', running: '', entries: 1, ...(time && { importedAt: time }) };
    await new Table().writeUnrecorded([{ put: { ...advisoryFeedKey('composer'), ...feed } }]);
  };
  beforeEach(async () => importedAt('2026-01-01T00:00:00.000Z'));
  afterEach(async () => importedAt(undefined));

  const ranged = advisory({
    id: 'GHSA-1',
    kind: 'vulnerability',
    severity: 'moderate',
    summary: 'It leaks',
    modified: '2026-02-01T00:00:00Z',
    versions: ['v1.1.0', '0.9', '3.0.0', 'dev-main', 'no|version'],
    ranges: [
      [
        ['fixed', '1.2.0'],
        ['introduced', '0'],
        ['introduced', '2.0.0-beta1'],
        ['last_affected', 'v2.1'],
      ],
      [['introduced', 'dev-main']],
      [
        ['introduced', '5.0.0'],
        ['fixed', 'none'],
      ],
    ],
  });

  it('is answered by them in the form of Packagist, and nobody is asked', async () => {
    answering({ advisories: {} });
    const [name, hijacked, unknown] = ['a', 'b', 'c'].map((vendor) => `${vendor}/${uniqueName()}`) as [
      string,
      string,
      string,
    ];
    await storeAdvisories('composer', name, [ranged]);
    await storeAdvisories('composer', hijacked, [advisory(), advisory({ id: 'MAL-2', versions: ['no|version'] })]);
    expect(await advisoriesOf(await remote(), name, hijacked, unknown)).toEqual({
      [name]: [
        {
          advisoryId: 'GHSA-1',
          packageName: name,
          affectedVersions: '<1.2.0-stable|>=2.0.0-beta1,<=2.1.0-stable|=3.0.0|=dev-main',
          title: 'It leaks',
          link: 'https://osv.dev/vulnerability/GHSA-1',
          cve: null,
          reportedAt: '2026-02-01T00:00:00Z',
          sources: [{ name: 'OSV', remoteId: 'GHSA-1' }],
          severity: 'medium',
        },
      ],
      [hijacked]: [expect.objectContaining({ severity: 'critical', affectedVersions: '*' })],
    });
    expect(upstream.requests).toEqual([]);
  });

  it('says nothing of names that local repositories hold', async () => {
    const own = await published();
    await storeAdvisories('composer', own, [advisory()]);
    expect(await advisoriesOf(await virtualOver(setting.repository, await remote()), own)).toEqual({});
  });
});
