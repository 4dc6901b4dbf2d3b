import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { endpoints } from '../functions/endpoints.ts';
import { builtFileName } from '../shared/http/built-file.ts';
import type { Contract, FileResult } from '../shared/http/contract.ts';
import { openApiText } from './openapi.ts';
import { referencePage, referenceScript } from './reference-page.ts';

const makers: Readonly<Record<FileResult['name'], () => Promise<string | Buffer>>> = {
  'openapi.json': async () => openApiText(),
  'reference.html': referencePage,
  'reference.js': referenceScript,
};

/** Makes the files that endpoints serve, and writes each, compressed, beside the bundle of its endpoint. */
export const writeBuiltFiles = async (buildDirectory: string): Promise<void> => {
  const write = async ({ id, file }: Contract) => {
    if (!file) return;
    const bytes = await promisify(gzip)(await makers[file.name](), { level: 9 });
    await writeFile(join(buildDirectory, id, builtFileName), bytes);
  };
  await Promise.all(endpoints.map(write));
};
