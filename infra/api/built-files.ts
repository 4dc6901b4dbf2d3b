import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { endpoints } from '../../functions/endpoints.ts';
import { builtFileName } from '../../shared/http/built-file.ts';
import { type AnswerKind, answersOf, type Contract } from '../../shared/http/contract.ts';
import { openApiText } from '../openapi.ts';
import { consolePage, consoleScript } from './console-page.ts';
import { referencePage, referenceScript } from './reference-page.ts';

const makers: Readonly<Record<Extract<AnswerKind, { kind: 'file' }>['name'], () => Promise<string | Buffer>>> = {
  'openapi.json': async () => openApiText(),
  'reference.html': referencePage,
  'reference.js': referenceScript,
  'console.html': consolePage,
  'console.js': consoleScript,
};

/** Makes the files that endpoints serve, compresses each, and writes it beside the bundle of its endpoint. */
export const writeBuiltFiles = async (buildDirectory: string): Promise<void> => {
  const write = async (contract: Contract) => {
    for (const answer of answersOf(contract)) {
      if (answer.kind !== 'file') continue;
      const bytes = await promisify(gzip)(await makers[answer.name](), { level: 9 });
      await writeFile(join(buildDirectory, contract.id, builtFileName), bytes);
    }
  };
  await Promise.all(endpoints.map(write));
};
