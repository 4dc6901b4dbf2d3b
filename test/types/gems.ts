import { gzipSync } from 'node:zlib';
import { deleteGemVersion, getGemsDocument, publishGem } from '../../functions/gems/contracts.ts';
import { fullNameOf, gemFile } from '../../functions/gems/full-names.ts';
import { filePath } from '../../functions/gems/paths.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import { type PackageFormat, paramsOf } from '../harness/package-format.ts';
import { whenAvailable } from '../harness/retry.ts';
import type { Service } from '../harness/service.ts';
import { type Actor, type Named, uniqueName } from '../harness/world.ts';
import { tarOf } from './tars.ts';

/** A gem of the tests. */
export interface TestGem {
  readonly name: string;
  readonly version: string;
  readonly platform?: string;
  /** The gems that it needs, each with its requirement. */
  readonly needs?: Readonly<Record<string, string>>;
  /** The content of a file of it. */
  readonly content?: string;
  /** Lines of its metadata after those that each has. */
  readonly lines?: string;
}

const requirementYaml = (requirement: string, indent: string): string => {
  const pairs = requirement.split(', ').map((each) => each.split(' '));
  const lines = pairs.map(
    ([operator, version]) =>
      `${indent}- - "${operator}"\n${indent}  - !ruby/object:Gem::Version\n${indent}    version: '${version}'\n`,
  );
  return `!ruby/object:Gem::Requirement\n${indent}requirements:\n${lines.join('')}`;
};

const dependencyYaml = ([name, requirement]: readonly [string, string]): string =>
  `- !ruby/object:Gem::Dependency\n  name: ${name}\n  requirement: ${requirementYaml(requirement, '    ')}  type: :runtime\n  prerelease: false\n  version_requirements: ${requirementYaml(requirement, '    ')}`;

/** The metadata of a gem, as `gem build` writes them. */
export const metadataYaml = ({ name, version, platform = 'ruby', needs = {}, lines = '' }: TestGem): string => {
  const dependencies = Object.entries(needs).map(dependencyYaml);
  return [
    '--- !ruby/object:Gem::Specification\n',
    `name: ${name}\nversion: !ruby/object:Gem::Version\n  version: '${version}'\nplatform: ${platform}\n`,
    'authors:\n- Acme\nautorequire:\nbindir: bin\ncert_chain: []\ndate: 2026-01-01 00:00:00.000000000 Z\n',
    `dependencies:${dependencies.length > 0 ? '\n' : ' []\n'}${dependencies.join('')}`,
    `description: A gem of a test\nemail:\nexecutables: []\nfiles:\n- lib/${name}.rb\nhomepage: https://gems.example\n`,
    'licenses:\n- MIT\nmetadata: {}\nrdoc_options: []\nrequire_paths:\n- lib\n',
    `required_ruby_version: ${requirementYaml('>= 2.7', '  ')}`,
    `required_rubygems_version: ${requirementYaml('>= 0', '  ')}`,
    'requirements: []\nrubygems_version: 3.3.15\nsigning_key:\nspecification_version: 4\nsummary: A gem of a test\ntest_files: []\n',
    lines,
  ].join('');
};

/** The file of a gem: always the same bytes. Its content is not compressed, so that a large one stays large. */
export const gemOf = (each: TestGem, metadata = metadataYaml(each)): Buffer =>
  tarOf({
    'metadata.gz': gzipSync(metadata),
    'data.tar.gz': gzipSync(tarOf({ [`lib/${each.name}.rb`]: `CONTENT = '${each.content ?? ''}'\n` }), { level: 0 }),
  });

/** The content in the bytes of a gem, read as text. */
export const contentIn = (text: string): string | undefined => /CONTENT = '(.*?)'\n/s.exec(text)?.[1];

/** The path of the gem of a version. */
export const gemPath = (full: Parameters<typeof fullNameOf>[0]): string => filePath(gemFile(fullNameOf(full)));

/** A request below the address of a repository; what it leaves out is a plain request of a system admin. */
export interface GemsRequest {
  readonly repository?: Named;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: Uint8Array;
}

/** The versions in a document of the compact index. */
export const versionsIn = (info: string): string[] =>
  info
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(' ')[0] ?? '');

/** A workspace with a repository for gems, and the requests that are sent to it. */
export const useGems = (service: Service) => {
  const setting = {} as { workspace: Named; repository: Named; admin: Actor };
  beforeAll(async () => {
    const [workspace, admin] = await Promise.all([service.world.workspace(), service.world.systemAdmin()]);
    const repository = await service.world.repository(workspace, undefined, 'gems');
    Object.assign(setting, { workspace, admin, repository });
  });
  const send = async (contract: Contract, path: string, request: GemsRequest = {}): Promise<Answer> => {
    const { method = contract.method, repository = setting.repository, headers = {}, body } = request;
    return service.client.sendTo(contract, {
      method,
      path: `/gems/${setting.workspace.name}/${repository.name}${path === '' ? '' : `/${path}`}`,
      headers: Object.entries({ Authorization: request.as ?? setting.admin.bearer, ...headers }),
      ...(body && { body }),
    });
  };
  const push = async (body: Uint8Array, request?: GemsRequest): Promise<Answer> =>
    send(publishGem, 'api/v1/gems', {
      ...request,
      headers: { 'Content-Type': 'application/octet-stream', ...request?.headers },
      body,
    });
  return {
    setting,
    send,
    push,
    /** The bytes of a path, which the other ways read as text. */
    bytesOf: async (path: string, { name } = setting.repository): Promise<Buffer> => {
      const url = `${service.runner.url}/gems/${setting.workspace.name}/${name}/${path}`;
      const answer = await fetch(url, { headers: { Authorization: setting.admin.bearer } });
      if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}`);
      return Buffer.from(await answer.arrayBuffer());
    },
    get: async (path: string, request?: GemsRequest): Promise<Answer> => send(getGemsDocument, path, request),
    yank: async (form: Readonly<Record<string, string>>, request?: GemsRequest): Promise<Answer> =>
      send(deleteGemVersion, 'api/v1/gems/yank', {
        ...request,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...request?.headers },
        body: Buffer.from(new URLSearchParams(form).toString()),
      }),
    /** Publishes a version, of a new gem unless it is named; returns the name. */
    published: async (each: Partial<TestGem> = {}, request?: GemsRequest): Promise<string> => {
      const whole = { name: uniqueName('gem'), version: '1.0.0', ...each };
      const { status, text } = await whenAvailable(() => push(gemOf(whole), request));
      if (status !== 200) throw new Error(`${whole.name} ${whole.version} was not published: ${text}`);
      return whole.name;
    },
  };
};

/** What the clients of the type do. */
export const gemsFormat: PackageFormat = {
  packageType: 'gems',
  fileCount: 2,
  hasBothIndexes: true,
  publishing: publishGem,
  downloading: getGemsDocument,
  publish: async ({ client }, { name, version, as, workspace, repository }, content) => {
    const answer = await client.attempt(publishGem, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: { content: gemOf({ name, version, content }), mediaType: 'application/octet-stream' },
      as,
    });
    return answer.status === 200 ? { ...answer, status: 201 } : answer;
  },
  download: async ({ client }, { name, version, as, ...place }) => {
    const params = paramsOf(place, gemPath({ name, version }));
    const answer = await client.attempt(getGemsDocument, { params, as });
    return { ...answer, text: contentIn(answer.text) ?? answer.text };
  },
  versions: async ({ client }, { name, as, ...place }) => {
    const { status, text } = await client.attempt(getGemsDocument, { params: paramsOf(place, `info/${name}`), as });
    return status === 200 ? versionsIn(text) : undefined;
  },
};
