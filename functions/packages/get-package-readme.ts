import { ApiError } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { storedFile } from '../../shared/packages/blobs/stored-bytes.ts';
import { FormatProblem } from '../../shared/packages/formats/format-problem.ts';
import type { Readme, ReadmeSource } from '../../shared/packages/formats/readme.ts';
import { readable } from '../../shared/packages/serve/readable.ts';
import { alsoReadSources } from '../../shared/packages/sources/package-address.ts';
import type { Table } from '../../shared/table/client.ts';
import type { PackageFile } from '../../shared/table/packages/packages.ts';
import { findFormat } from '../package-formats.ts';
import { getPackageReadme } from './contracts.ts';
import { filesOf, findVersion } from './found-version.ts';

/** Reads it from the first file that has one by the rules of the type. A file of an upstream may be damaged: it has none. */
const readmeOf = async (
  rules: ReadmeSource,
  files: readonly PackageFile[],
  table: Table,
): Promise<Readme | undefined> => {
  const [first] = rules.flatMap(({ file: pattern, read }) => {
    const found = files.find(({ file }) => pattern.test(file));
    return found ? [{ found, read }] : [];
  });
  try {
    return await first?.read(storedFile(first.found, table));
  } catch (error) {
    if (error instanceof FormatProblem) return undefined;
    throw error;
  }
};

/** The files of the version in the path that may leave, if its type has READMEs in them. */
const readableFiles = async (
  { table }: Call<typeof getPackageReadme>,
  { source, ref, item: { version } }: Awaited<ReturnType<typeof findVersion>>,
  rules: ReadmeSource,
): Promise<readonly PackageFile[]> => {
  if (rules.length === 0) return [];
  const files = await filesOf(table, ref, version);
  return files.filter(({ file }) => readable(source, { kind: 'file', name: ref.name, version, file }, file));
};

export const handler = endpoint(
  getPackageReadme,
  async (call) => {
    const found = await findVersion(call);
    const rules = (await findFormat(call.repository.packageType))?.format.readme ?? [];
    const readme = await readmeOf(rules, await readableFiles(call, found, rules), call.table);
    if (!readme) throw new ApiError('README_NOT_FOUND');
    return { kind: 'bytes', mediaType: readme.mediaType, content: readme.text };
  },
  { alsoRead: alsoReadSources },
);
