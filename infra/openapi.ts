import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { documentWords } from '../functions/document-words.ts';
import { endpoints } from '../functions/endpoints.ts';
import packageJson from '../package.json' with { type: 'json' };
import { openApiDocument } from '../shared/openapi/document.ts';

/** The text of the document that the service serves. */
export const openApiText = (): string =>
  `${JSON.stringify(openApiDocument(endpoints, packageJson.version, documentWords), null, 2)}\n`;

/** The file of the document in the repository. */
export const openApiFile = join(import.meta.dirname, '..', 'functions', 'system', 'openapi.json');

if (import.meta.main) await writeFile(openApiFile, openApiText());
