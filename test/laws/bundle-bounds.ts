import { endpoints } from '../../functions/endpoints.ts';
import type { Contract } from '../../shared/http/contract.ts';

/** Endpoints of packages bring the client of the object store or of upstreams, and the grammar of their type. */
const ofPackages = new Set<string>([
  'fetcher',
  'verifier',
  ...endpoints
    .filter(({ path, store, decrypts }) => path.includes('+}') || store !== undefined || decrypts)
    .map(({ id }) => id),
]);

/** These answer searches at the addresses of files, because API Gateway cannot tell them apart. */
const searching = new Set<string>(
  endpoints
    .filter(({ path, query }: Contract) => path.endsWith('+}') && Object.keys(query?.properties ?? {}).length > 1)
    .map(({ id }) => id),
);

/** These load the grammar of one package type, whichever they are asked about. */
const ofAnyType = new Set<string>([
  'packages/publish-package',
  'packages/create-upload',
  'packages/publish-upload',
  'packages/get-package-readme',
  'packages/check-version',
  'packages/get-package',
  'packages/get-package-version',
  'packages/list-package-versions',
  // The front for reads, which loads a use case when it is first asked for it.
  'package-reads',
]);

/** Contracts that name no write to the table: their functions need nothing of the SDK. */
export const onlyReading: ReadonlySet<string> = new Set(
  endpoints
    .filter(({ table }) => table.every((action) => /^(?:BatchGetItem|Query(?: records)?)$/.test(action)))
    .map(({ id }) => id),
);

const encrypting = new Set<string>(endpoints.filter(({ encrypts }) => encrypts).map(({ id }) => id));

/** These check the URL of an issuer of identity tokens, or verify tokens with its keys. */
const ofIssuers = new Set<string>(endpoints.filter(({ id }) => id.startsWith('trusts/')).map(({ id }) => id));

/** The kinds of bundles, each with the most bytes that one may have. */
export const bundleBounds = {
  reading: 95_500,
  'reading with issuers': 136_000,
  management: 244_000,
  'with KMS': 286_500,
  'with issuers': 284_000,
  packages: 360_400,
  'packages and searches': 379_600,
  // The largest of one type and a tenth more: they do not grow with the number of types, but for how each spells its versions.
  'any package type': 396_800,
  // The tables of CVSS 4 are large. Nobody waits for a start of this function.
  'imports of advisories': 457_500,
} as const;

/** The kind of a bundle, by the ID of its function. */
export const bundleKindOf = (functionId: string): keyof typeof bundleBounds => {
  if (functionId === 'importer') return 'imports of advisories';
  if (ofAnyType.has(functionId)) return 'any package type';
  if (onlyReading.has(functionId)) return ofIssuers.has(functionId) ? 'reading with issuers' : 'reading';
  if (searching.has(functionId)) return 'packages and searches';
  if (ofPackages.has(functionId)) return 'packages';
  if (ofIssuers.has(functionId)) return 'with issuers';
  return encrypting.has(functionId) ? 'with KMS' : 'management';
};
