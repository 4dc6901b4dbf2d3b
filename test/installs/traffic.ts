import { bearerHeader } from '../harness/credentials.ts';
import type { Source } from './client.ts';

/** A client reads an index, and then a file that it names. Returns whether both were answered. */
export type Reading = () => Promise<boolean>;

const npmNames =
  'express react react-dom lodash axios chalk commander debug semver uuid typescript webpack eslint jest vite rollup esbuild prettier @babel/core @types/node moment dayjs rxjs zod yargs minimist glob rimraf fs-extra async ws socket.io mongoose pg redis next vue svelte postcss tailwindcss'.split(
    ' ',
  );
const pypiNames =
  'requests urllib3 certifi idna charset-normalizer numpy pandas boto3 botocore setuptools pip wheel six python-dateutil pyyaml packaging typing-extensions click flask jinja2 django fastapi pydantic sqlalchemy pytest cryptography attrs rich httpx aiohttp'.split(
    ' ',
  );

/** Of each package, clients read so many of the newest files: what the service keeps has an end. */
const filesMax = 10;
const fileBytesMax = 5_000_000;

const get = async (url: string, { token = '' }: Source, accept: string): Promise<Response> =>
  fetch(url, { headers: { Authorization: bearerHeader(token), Accept: accept } });

/** Gets a document of JSON; nothing if the service failed. */
const documentAt = async <Content>(url: string, source: Source, accept: string): Promise<Content | undefined> => {
  const response = await get(url, source, accept);
  if (response.ok) return (await response.json()) as Content;
  await response.arrayBuffer();
  return undefined;
};

const downloaded = async (url: string | undefined, source: Source): Promise<boolean> => {
  if (url === undefined) return false;
  const response = await get(url, source, '*/*');
  await response.arrayBuffer();
  return response.ok;
};

const oneOf = <Each>(all: readonly Each[]): Each | undefined => all[Math.floor(Math.random() * all.length)];

interface Packument {
  readonly versions: Readonly<Record<string, { readonly dist: { readonly tarball: string } }>>;
}

const readNpm =
  (source: Source, name: string): Reading =>
  async () => {
    const url = `${source.url}/${name.replace('/', '%2f')}`;
    const packument = await documentAt<Packument>(url, source, 'application/vnd.npm.install-v1+json');
    const newest = Object.values(packument?.versions ?? {}).slice(-filesMax);
    return downloaded(oneOf(newest)?.dist.tarball, source);
  };

interface Project {
  readonly files: readonly { readonly url: string; readonly size?: number }[];
}

const readPypi =
  (source: Source, name: string): Reading =>
  async () => {
    const url = `${source.url}${name}/`;
    const project = await documentAt<Project>(url, source, 'application/vnd.pypi.simple.v1+json');
    const files = project?.files.filter(({ size = 0 }) => size < fileBytesMax).slice(-filesMax) ?? [];
    const file = oneOf(files);
    return downloaded(file && new URL(file.url, url).href, source);
  };

/** What the clients do, all equally often. */
export const readings = ({ npm, pypi }: Readonly<Record<'npm' | 'pypi', Source>>): readonly Reading[] => [
  ...npmNames.map((name) => readNpm(npm, name)),
  ...pypiNames.map((name) => readPypi(pypi, name)),
];
