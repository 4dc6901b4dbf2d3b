import { createHash } from 'node:crypto';
import { getPypiDocument, getPypiProject } from '../../functions/pypi/contracts.ts';
import type { Answer } from '../harness/client.ts';
import { jsonPage, wheelName, wheelOf } from '../harness/pypi.ts';
import { type GatedType, type GateWorld, json, sent, timeOf } from './gated-type.ts';

const wheel = (name: string, version: string): string => wheelName({ name, version });

/** The release gate of remote repositories of pypi. */
export const pypiGate = ({ upstream, ask }: GateWorld): GatedType => {
  const pypi: GatedType = {
    type: 'pypi',
    file: getPypiDocument,
    answer: (name, ages) => {
      const files = Object.entries(ages).map(([version, hours]) => {
        const [filename, bytes] = [wheel(name, version), wheelOf({ name, version })];
        const hashes = { sha256: createHash('sha256').update(bytes).digest('hex') };
        return { filename, url: `${upstream.url}/files/${filename}`, hashes, 'upload-time': timeOf(hours), bytes };
      });
      const page = {
        meta: { 'api-version': '1.1' },
        name,
        versions: Object.keys(ages),
        files: files.map((file) => ({ ...file, bytes: undefined })),
      };
      return sent({
        [`/simple/${name}/`]: JSON.stringify(page),
        ...Object.fromEntries(files.map(({ filename, bytes }) => [`/files/${filename}`, bytes])),
      });
    },
    documents: async (repository, name, headers = {}) => [
      await ask(getPypiDocument, 'pypi', repository, `simple/${name}/`, { Accept: jsonPage, ...headers }),
      await ask(getPypiDocument, 'pypi', repository, `simple/${name}/`, { Accept: 'text/html', ...headers }),
    ],
    listed: async (repository, name) => {
      const [page, html] = await pypi.documents(repository, name);
      const { files, versions } = json(page as Answer) as { files: { filename: string }[]; versions: string[] };
      const inHtml = [...(html?.text ?? '').matchAll(/>\w+-([\d.]+)-py3-none-any\.whl</g)].map(
        ([, version = '']) => version,
      );
      const project = await ask(getPypiProject, 'pypi', repository, `pypi/${name}/json`);
      const releases = project.status === 404 ? [] : Object.keys((json(project) as { releases: object }).releases);
      return [files.map(({ filename }) => filename.split('-')[1] ?? ''), versions, inHtml, releases];
    },
    files: (name, version) => {
      const path = `files/${name}/${version}/${wheel(name, version)}`;
      return [path, `${path}.metadata`];
    },
    kept: (name) => [{ name, document: 'project page' }],
  };
  return pypi;
};
