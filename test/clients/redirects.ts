import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishUniversalFile } from '../../functions/universal/contracts.ts';
import { projectRoot } from '../../infra/local/sources.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';
import { askingUrl, useSandboxes, useTeam } from './client-world.ts';
import { isLeftOut } from './drivers/all.ts';
import type { Sandbox } from './drivers/sandbox.ts';
import { commandVersion } from './drivers/tools.ts';

/** `npm run test:clients`: every recipe of the page about universal files for clients that repeat the token at the redirect. */
jest.setTimeout(120_000);

const service = useService();
const { team, granted } = useTeam(service);
const sandbox = useSandboxes();

const page = readFileSync(join(projectRoot, 'docs/clients/universal.md'), 'utf8');
const [, section = ''] = /^## Clients that send the token to the redirect\n(.*?)^## /ms.exec(page) ?? [];
const blocksOf = (language: string): string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

interface Recipe {
  readonly command: string;
  readonly lines: readonly string[];
}

/** A recipe for each line that downloads the file, with the lines before it that do not. */
const shellRecipes = blocksOf('console').flatMap((block): Recipe[] => {
  const lines = block.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []));
  const isDownload = (line: string): boolean => /^(?:wget|aria2c|rclone|curl)\b/.test(line);
  const before = lines.filter((line) => !isDownload(line));
  return lines.filter(isDownload).map((line) => ({ command: /^\w+/.exec(line)?.[0] ?? '', lines: [...before, line] }));
});

const name = 'tools/formatter/1.0.0/formatter.zip';
const sizes = { small: 100, large: 300_000 } as const;
const contents = { small: randomBytes(sizes.small), large: randomBytes(sizes.large) };
/** Where the files are, behind the address of the service. */
const places = { small: '', large: '' };

beforeAll(async () => {
  for (const size of ['small', 'large'] as const) {
    const repository = await granted(await service.world.repository(team.workspace, uniqueName(), 'universal'));
    const params = { workspace: team.workspace.name, repository: repository.name, path: name };
    const bytes = { content: contents[size], mediaType: 'application/zip' };
    const { status } = await service.client.attempt(publishUniversalFile, { params, bytes, as: team.deployer.bearer });
    expect(status).toBe(201);
    places[size] = `universal/${team.workspace.name}/${repository.name}`;
  }
});

type Size = keyof typeof sizes;

const variablesOf = (size: Size, base: string) => ({
  FILES: `${base}/${places[size]}`,
  URL: `${base}/${places[size]}/${name}`,
  AUTH: `Authorization: Bearer ${team.viewer.token}`,
  STOCKROOM_TOKEN: team.viewer.token,
});

const expectDownloaded = async (
  place: Sandbox,
  command: string,
  parameters: string[],
  size: Size,
  base = service.url,
): Promise<void> => {
  const { output, isFailed } = await place.run(command, parameters, variablesOf(size, base));
  expect({ output, isFailed }).toEqual({ output, isFailed: false });
  expect(place.readBytes('formatter.zip').equals(contents[size])).toBe(true);
};

const demand = async (command: Parameters<typeof isLeftOut>[0], parameter?: string): Promise<void> => {
  process.stderr.write(`${command} ${await commandVersion(command, parameter)}\n`);
};

const itUnlessLeftOut = (command: string) => (isLeftOut(command as Parameters<typeof isLeftOut>[0]) ? it.skip : it);

describe('Each line of the page gets the whole file:', () => {
  it('there are lines of four clients', () => {
    expect(new Set(shellRecipes.map(({ command }) => command))).toEqual(new Set(['wget', 'aria2c', 'curl', 'rclone']));
    expect(shellRecipes).toHaveLength(7);
  });

  for (const { command, lines } of shellRecipes)
    itUnlessLeftOut(command)(lines.at(-1) ?? '', async () => {
      await demand(command as 'wget', command === 'rclone' ? 'version' : '--version');
      // With a password from a file, wget waits until it is asked for one.
      const base = command === 'wget' && !lines.join().includes('curl') ? askingUrl(service) : service.url;
      const { hostname } = new URL(base);
      const script = lines.map((line) => line.replace('stockroom.example.com', hostname)).join(' &&\n');
      // A small file is the answer itself, and has no address.
      for (const size of script.includes('redirect_url') ? (['large'] as const) : (['small', 'large'] as const))
        await expectDownloaded(sandbox(), 'bash', ['-c', script], size, base);
    });

  itUnlessLeftOut('python3')('the lines for urllib', async () => {
    await demand('python3');
    const [code = ''] = blocksOf('python');
    const begin = [
      'import os, shutil, urllib.request',
      'url, token, file = os.environ["URL"], os.environ["STOCKROOM_TOKEN"], open("formatter.zip", "wb")',
    ];
    for (const size of ['small', 'large'] as const)
      await expectDownloaded(sandbox(), 'python3', ['-c', [...begin, code].join('\n')], size);
  });

  itUnlessLeftOut('java')('the lines for HttpClient', async () => {
    await demand('java');
    const [code = ''] = blocksOf('java');
    const program = `import java.net.*; import java.net.http.*; import java.net.http.HttpResponse.BodyHandlers; import java.nio.file.*;
class Download { public static void main(String[] parameters) throws Exception {
var url = System.getenv("URL"); var token = System.getenv("STOCKROOM_TOKEN"); var path = Path.of("formatter.zip");
${code} } }`;
    for (const size of ['small', 'large'] as const) {
      const place = sandbox();
      place.write({ 'project/Download.java': program });
      // It sends what its Authenticator has when it is asked.
      await expectDownloaded(place, 'java', ['Download.java'], size, askingUrl(service));
    }
  });
});

/** Downloads of a client that repeats the header: the bucket refuses them, and CloudFront, where it answers reads, does not. */
const expectRepeated = async (place: Sandbox, command: string, parameters: string[]): Promise<void> => {
  if (service.edge) return expectDownloaded(place, command, parameters, 'large');
  const { output, isFailed } = await place.run(command, parameters, variablesOf('large', service.url));
  expect({ output, isFailed }).toEqual({ output: expect.stringContaining('400'), isFailed: true });
};

describe('A header is repeated at the redirect, as the page says, by', () => {
  const header = 'Authorization: Bearer';

  itUnlessLeftOut('python3')('urllib', async () => {
    const code = `import os, shutil, urllib.request
request = urllib.request.Request(os.environ["URL"], headers={"Authorization": "Bearer " + os.environ["STOCKROOM_TOKEN"]})
with urllib.request.urlopen(request) as answer, open("formatter.zip", "wb") as file:
    shutil.copyfileobj(answer, file)`;
    await expectRepeated(sandbox(), 'python3', ['-c', code]);
  });

  itUnlessLeftOut('java')('HttpClient', async () => {
    const place = sandbox();
    const program = `import java.net.*; import java.net.http.*; import java.net.http.HttpResponse.BodyHandlers; import java.nio.file.*;
class Download { public static void main(String[] parameters) throws Exception {
var client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
var request = HttpRequest.newBuilder(URI.create(System.getenv("URL"))).header("Authorization", "Bearer " + System.getenv("STOCKROOM_TOKEN")).build();
var answer = client.send(request, BodyHandlers.ofByteArray());
if (answer.statusCode() != 200) throw new Exception("" + answer.statusCode());
Files.write(Path.of("formatter.zip"), answer.body()); } }`;
    place.write({ 'project/Download.java': program });
    await expectRepeated(place, 'java', ['Download.java']);
  });

  it.each([
    ['wget', ['-O', 'formatter.zip', '--tries=1', '--header']],
    ['aria2c', ['-o', 'formatter.zip', '--max-tries=1', '--header']],
    ['rclone', ['copyurl', '--retries=1', '--header']],
  ] as const)('%s', async (command, parameters) => {
    if (isLeftOut(command)) return;
    const target = command === 'rclone' ? ['formatter.zip'] : [];
    const run = [...parameters, `${header} ${team.viewer.token}`, variablesOf('large', service.url).URL, ...target];
    await expectRepeated(sandbox(), command, run);
  });
});
