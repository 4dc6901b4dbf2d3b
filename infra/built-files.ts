import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { getOpenApiDocument, getReferencePage, getReferenceScript } from '../functions/system/contracts.ts';
import { builtFileName } from '../shared/http/built-file.ts';
import { openApiText } from './openapi.ts';
import { referencePage, referenceScript } from './reference-page.ts';

/** What the functions serve that is made at build: by the id of the function. */
const builtFiles: Readonly<Record<string, () => Promise<string | Buffer>>> = {
  [getOpenApiDocument.id]: async () => openApiText(),
  [getReferencePage.id]: referencePage,
  [getReferenceScript.id]: referenceScript,
};

/** Writes each file, compressed, beside the bundle that serves it. */
export const writeBuiltFiles = async (buildDirectory: string): Promise<void> => {
  const write = async ([id, make]: [string, () => Promise<string | Buffer>]) => {
    const bytes = await promisify(gzip)(await make(), { level: 9 });
    await writeFile(join(buildDirectory, id, builtFileName), bytes);
  };
  await Promise.all(Object.entries(builtFiles).map(write));
};
