import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';
import { definitions } from '../../functions/package-definitions.ts';
import {
  type AnswerKind,
  answersOf,
  bodySchemaOf,
  type Contract,
  type RequestKind,
} from '../../shared/http/contract.ts';
import type { TableAction } from '../../shared/http/function-rights.ts';
import type { Schema } from '../../shared/http/schema.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Who needs a field: the bundle, only the document, or only the stack. */
type Use = 'bundle' | 'document' | 'stack';
type Uses<T> = { readonly [Field in keyof T]-?: Use };

const contractUses: Uses<Contract> = {
  id: 'bundle',
  method: 'bundle',
  head: 'stack',
  path: 'bundle',
  summary: 'bundle',
  description: 'document',
  access: 'bundle',
  limitedTokens: 'bundle',
  authenticates: 'bundle',
  pathIsSecret: 'bundle',
  isForUsers: 'bundle',
  isDelicate: 'bundle',
  readsCookie: 'bundle',
  changesByGet: 'bundle',
  refusal: 'bundle',
  query: 'bundle',
  request: 'bundle',
  answer: 'bundle',
  errors: 'document',
  table: 'stack',
  store: 'stack',
  idempotencyKey: 'bundle',
  encrypts: 'stack',
  decrypts: 'stack',
  signs: 'stack',
  servesFiles: 'stack',
  readsDownloads: 'stack',
  invokes: 'stack',
  checksPasswords: 'stack',
  isLong: 'stack',
  isHot: 'stack',
};

const requestUses: { readonly [Kind in RequestKind as Kind['kind']]: Uses<Kind> } = {
  json: { kind: 'bundle', body: 'bundle', immutable: 'bundle', isAlsoForm: 'bundle', example: 'document' },
  multipart: { kind: 'bundle', fileField: 'bundle', fields: 'bundle', bytesMax: 'bundle', stagedBytesMax: 'bundle' },
  form: {
    kind: 'bundle',
    fileFields: 'bundle',
    takesAnyName: 'bundle',
    bodyField: 'bundle',
    bytesMax: 'bundle',
    stagedBytesMax: 'bundle',
  },
  bytes: {
    kind: 'bundle',
    mediaTypes: 'bundle',
    bytesMax: 'bundle',
    stagedBytesMax: 'bundle',
    isAlsoGzipped: 'bundle',
    isPassedOn: 'stack',
    hashes: 'bundle',
    keepsBody: 'bundle',
    takesParts: 'bundle',
  },
};

const answerUses: { readonly [Kind in AnswerKind as Kind['kind']]: Uses<Kind> } = {
  json: { kind: 'bundle', success: 'bundle', result: 'document', location: 'bundle', setsCookie: 'bundle' },
  list: { kind: 'bundle', items: 'document', pageSize: 'bundle', isAlsoLines: 'bundle' },
  file: {
    kind: 'bundle',
    name: 'stack',
    mediaType: 'bundle',
    description: 'document',
    isAlwaysCompressed: 'bundle',
    headers: 'bundle',
    example: 'document',
  },
  bytes: { kind: 'bundle', success: 'bundle', mediaTypes: 'document', headers: 'document', description: 'document' },
  redirect: { kind: 'bundle', headers: 'document', description: 'document' },
};

type FieldUses = Readonly<Record<string, Use>>;

const usesOf = ({ kind }: { readonly kind: string }, byKind: Readonly<Record<string, FieldUses>>): FieldUses =>
  byKind[kind] ?? {};

/** The fields that a bundle holds. A field without a use ends the build, because it would be dropped silently. */
const bundled = (id: string, fields: object, uses: FieldUses): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name]) => {
      if (!Object.hasOwn(uses, name)) throw new Error(`The contract ${id} has a field '${name}' that nothing reads.`);
      return uses[name] === 'bundle';
    }),
  );

const validators = { body: 'validateBody', query: 'validateQuery' } as const;
type Part = keyof typeof validators;

const schemaOf = (contract: Contract, part: Part): Schema | undefined =>
  part === 'body' ? bodySchemaOf(contract) : contract.query;

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'access' in value;

const readingActions: ReadonlySet<TableAction> = new Set(['BatchGetItem', 'Query', 'Query records']);

/** Whether an endpoint may write to the table. Its function has no right to write if its contract names none. */
const writes = ({ table }: Contract): boolean => table.some((action) => !readingActions.has(action));

/** The module in `requests/` that reads the bodies of a contract. */
const readerModuleOf = (request: RequestKind | undefined): string => {
  if (request?.kind === 'json' && request.isAlsoForm) return 'parameters';
  return request?.kind ?? 'none';
};

/** A contract as its bundle has it (`BuiltContract`): its data, its validators, and the modules of its kinds. */
const builtContract = (name: string, contract: Contract, folder: string, shapes: Map<string, Schema>): string => {
  const { id, request } = contract;
  const isFile = request !== undefined && 'bytesMax' in request;
  if (isFile && 'stagedBytesMax' in request && contract.authenticates)
    throw new Error(`The contract ${id} has no caller whose body is staged.`);
  if (contract.head && contract.method !== 'GET') throw new Error(`The contract ${id} has HEAD without GET.`);
  const answers = answersOf(contract).map((answer) => bundled(id, answer, usesOf(answer, answerUses)));
  const data = {
    ...bundled(id, contract, contractUses),
    ...(request && { request: bundled(id, request, usesOf(request, requestUses)) }),
    answer: answers.length === 1 ? answers[0] : answers,
  };
  const parts = (Object.keys(validators) as Part[]).filter((part) => schemaOf(contract, part));
  for (const part of parts) shapes.set(`validator:${id}:${part}`, schemaOf(contract, part) as Schema);
  const kinds = answersOf(contract).map(({ kind }) => kind);
  // To read a member could do anything, so a contract that did would stay in every bundle of its folder. To call later cannot.
  const type = definitions.find((each) => each.name === basename(folder));
  const module = (path: string) => JSON.stringify(join(root, 'shared', 'http', path));
  const table = writes(contract)
    ? { name: 'Table', file: '../table/client.ts' }
    : { name: 'ReadingTable', file: '../table/reading-table.ts' };
  return `
    import { read as read_${name} } from ${module(`requests/${readerModuleOf(request)}.ts`)};
    import { ${table.name} as table_${name} } from ${module(table.file)};
    ${kinds.map((kind) => `import { respond as ${kind}_${name} } from ${module(`answers/${kind}.ts`)};`).join('\n')}
    ${parts.map((part) => `import ${part}_${name} from 'validator:${id}:${part}';`).join('\n')}
    ${contract.idempotencyKey ? `import { readIdempotencyKey as key_${name} } from ${module('idempotency.ts')};` : ''}
    ${isFile ? `import { doorSteps as door_${name} } from ${module('door-steps.ts')};` : ''}
    ${type ? `import { definition as type_${name} } from './type.ts';` : ''}
    export const ${name} = /* @__PURE__ */ Object.assign(${JSON.stringify(data)}, {
      read: read_${name},
      Table: table_${name},
      ${contract.idempotencyKey ? `readIdempotencyKey: key_${name},` : ''}
      ${isFile ? `ofDoor: door_${name},` : ''}
      ${type && contract.method === 'GET' ? 'ignoresOtherQuery: true,' : ''}
      ${type ? `shapeProblem: (...given) => type_${name}.shapeProblem(...given),` : ''}
      ${type?.problemHeaders ? `problemHeaders: (...given) => type_${name}.problemHeaders(...given),` : ''}
      respond: { ${kinds.map((kind) => `${kind}: ${kind}_${name}`).join(', ')} },
      ${parts.map((part) => `${validators[part]}: ${part}_${name}`).join(', ')}
    });`;
};

const validatorOptions = { allErrors: true, strict: true, allowUnionTypes: true, validateFormats: false } as const;

/** Checks the schemas themselves: one for all, because each compiles the schema of schemas, which takes longer than most of ours. */
const ofSchemas = new Ajv(validatorOptions).addVocabulary(['allowed']);

/** The source of a function that checks a value against a schema, without ajv's compiler. The sentences of a refusal are our own. */
const validatorSource = (shape: Schema): string => {
  void ofSchemas.validateSchema(shape, true);
  const code = { source: true, esm: true };
  const ajv = new Ajv({ ...validatorOptions, validateSchema: false, messages: false, code });
  ajv.addVocabulary(['allowed']);
  return standaloneCode.default(ajv, ajv.compile(shape));
};

/**
 * Contracts are data, so the build evaluates their modules and bundles only what runs: each contract with its compiled
 * validators (ajv at run time costs 50-70 ms of a cold start), and each other export as a literal. The contracts of a folder are
 * in one module: the bundle of one holds no parsers of the others, because package.json says that no module has side effects.
 */
export const builtContracts: Plugin = {
  name: 'built-contracts',
  setup({ onLoad, onResolve }) {
    const shapes = new Map<string, Schema>();
    onLoad({ filter: /\/contracts\.ts$/ }, async ({ path }) => {
      const exports: Record<string, unknown> = await import(pathToFileURL(path).href);
      const lines = Object.entries(exports).map(([name, value]) =>
        isContract(value)
          ? builtContract(name, value, dirname(path), shapes)
          : `export const ${name} = ${JSON.stringify(value)};`,
      );
      return { contents: lines.join('\n'), loader: 'js', resolveDir: dirname(path) };
    });
    onResolve({ filter: /^validator:/ }, ({ path }) => ({ path, namespace: 'validator', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'validator' }, ({ path }) => {
      const shape = shapes.get(path);
      if (!shape) throw new Error(`There is no schema for ${path}.`);
      return { contents: validatorSource(shape), loader: 'js', resolveDir: root };
    });
  },
};
