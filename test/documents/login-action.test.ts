import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { listRepositories } from '../../functions/repositories/contracts.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { buildFixture, type Fixture } from '../harness/fixture.ts';
import { useService } from '../harness/service.ts';
import { audience, trustOf, useIssuer } from '../harness/trusts.ts';
import { useUpstream } from '../harness/upstream.ts';

const run = promisify(execFile);
const service = useService();
const issuer = useIssuer();
const impostor = useUpstream();
const folder = mkdtempSync(join(tmpdir(), 'stockroom-login-'));
const output = join(folder, 'output');
let fixture: Fixture;
let trust: string;

beforeAll(async () => {
  fixture = await buildFixture(service);
  trust = (await trustOf(fixture, { issuer: issuer.url })).id;
});
beforeEach(() => writeFileSync(output, ''));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Action {
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}
const action = load(readFileSync('.github/actions/login/action.yml', 'utf8')) as Action;

/** Runs the step of the action as GitHub does: what it gives as a token is the claims' issuer's. */
const login = async (inputs: Readonly<Record<string, string>>, claims: object = {}) => {
  const others = issuer.answering();
  issuer.server.answer = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer.url);
    if (pathname !== '/token') return others(request, response);
    const isAllowed = request.headers.authorization === 'Bearer of-the-runner';
    const isAsked = searchParams.get('audience') === audience && searchParams.get('api-version') === '2.0';
    return response.writeHead(isAllowed && isAsked ? 200 : 401).end(JSON.stringify({ value: issuer.token(claims) }));
  };
  const [step] = action.runs.steps;
  const env = Object.entries(step?.env ?? {}).map(([name, value]) => [
    name,
    value.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_, input: string) => inputs[input] ?? ''),
  ]);
  return run('bash', ['-c', step?.run ?? ''], {
    env: {
      PATH: process.env.PATH ?? '',
      GITHUB_ACTION_PATH: '.github/actions/login',
      GITHUB_OUTPUT: output,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${issuer.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-runner',
      ...Object.fromEntries(env),
    },
  });
};

const lists = async (token: string): Promise<number> => {
  const params = { workspace: fixture.workspace.id };
  return (await service.client.attempt(listRepositories, { params, as: bearerHeader(token) })).status;
};

/** Answers with this, whatever is asked. */
const answering =
  (status: number, body: object): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(JSON.stringify(body));

describe('The action for GitHub', () => {
  it('makes the token its output, and masks it', async () => {
    const { stdout } = await login({ url: service.runner.url, trust, audience });
    const [, token = ''] = /^token=(.*)\n$/.exec(readFileSync(output, 'utf8')) ?? [];
    expect(await lists(token)).toBe(200);
    const lines = stdout.trim().split('\n');
    expect(lines).toEqual([expect.stringMatching(/^::add-mask::eyJ/), `::add-mask::${token}`]);
  });

  it('fails with the sentence of the service, and has no output, where the trust does not accept the workflow', async () => {
    const refused = login({ url: service.runner.url, trust, audience }, { event_name: 'pull_request' });
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('::error::This identity token gets no token here.'),
    });
    expect(readFileSync(output, 'utf8')).toBe('');
  });

  it('takes no command of the workflow from an answer, and no second output', async () => {
    const detail = 'No.\r\n::set-env name=A::b%0A::error::c';
    const { url } = impostor;
    impostor.answer = answering(401, { detail, requestId: 'r\n::d' });
    const refused = login({ url, trust, audience });
    await expect(refused).rejects.toMatchObject({
      stdout: expect.stringMatching(/\n::error::No\. {2}::set-env name=A::b 0A::error::c \(r ::d\)\n$/),
    });
    impostor.answer = answering(200, { access_token: 'str_tst_a\nother=b' });
    await expect(login({ url, trust, audience })).rejects.toMatchObject({
      stdout: expect.not.stringContaining('other'),
    });
    expect(readFileSync(output, 'utf8')).toBe('');
  });

  it('sends no identity over plain http, but to the machine itself', async () => {
    for (const url of ['http://stockroom.example.com', 'http://127.0.0.1.example.com', 'ftp://stockroom.example.com']) {
      issuer.server.requests.length = 0;
      await expect(login({ url, trust, audience })).rejects.toMatchObject({
        stdout: expect.stringMatching(/^::error::The input url must begin with https:/),
      });
      expect(issuer.server.requests).toEqual([]);
    }
  });

  it('is about thirty lines long', () => {
    const lines = readFileSync('.github/actions/login/action.yml', 'utf8').trim().split('\n');
    expect(lines.length).toBeLessThan(35);
  });
});

describe('The lines for other services', () => {
  const page = readFileSync('docs/pipelines.md', 'utf8');
  interface Step {
    readonly command?: string;
    readonly run?: string;
  }
  interface Pipeline {
    readonly publish?: { readonly script: readonly string[] };
    readonly steps?: readonly Step[];
  }
  const scripts = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)]
    .map(([, yaml = '']) => load(yaml) as Pipeline)
    .map(({ publish, steps }) => publish?.script.join('\n') ?? steps?.[0]?.command ?? steps?.[0]?.run ?? '')
    .filter((script) => script !== '');

  /** A command that prints a token for the audience of its arguments. */
  const printsToken = (command: string): void => {
    const file = join(folder, command);
    writeFileSync(file, `#!/bin/sh\ncase "$*" in *${audience}*) printf '%s\\n' "$IDENTITY_TOKEN" ;; esac\n`);
    chmodSync(file, 0o755);
  };

  /** What `npm publish` finds in its environment. */
  const published = async (script: string, of: string): Promise<string> => {
    const written = script
      .replace(`${audience}/1/`, `${service.runner.url}/1/`)
      .replace('0b6f4f6e-3c1b-4d9e-9a55-0f6c8f3b2a11', of);
    const { stdout } = await run('bash', ['-e', '-c', written], {
      env: { PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`, IDENTITY_TOKEN: issuer.token() },
    });
    return stdout;
  };

  it('publish with a token, and not without one', async () => {
    expect(scripts).toHaveLength(3);
    for (const command of ['buildkite-agent', 'circleci']) printsToken(command);
    const npm = join(folder, 'npm');
    writeFileSync(npm, '#!/bin/sh\nprintf %s "npm $* $STOCKROOM_TOKEN"\n');
    chmodSync(npm, 0o755);
    for (const script of scripts) {
      const [, token = ''] = /^npm publish (.*)$/.exec(await published(script, trust)) ?? [];
      expect([script, await lists(token)]).toEqual([script, 200]);
      await expect(published(script, fixture.workspace.id)).rejects.toMatchObject({ stdout: '' });
    }
  });
});
