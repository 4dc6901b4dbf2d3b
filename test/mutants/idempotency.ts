import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in what becomes of an Idempotency-Key. */
export const idempotencyMutants: readonly Mutant[] = [
  ...bugsIn('shared/http/idempotency.ts', 'requests/idempotency-keys', {
    'a request that meets the same one is refused': ['if (!meanwhile) throw error;', 'throw error;'],
    'another body is answered like the first': ['if (of !== fingerprint)', "if (of === '')"],
    'the hash of a body needs no key': ["createHmac('sha256', String(text))", "createHash('sha256')"],
    'the path does not matter': [
      'JSON.stringify([actorId, contract.id, scope])',
      'JSON.stringify([actorId, scope.length])',
    ],
    'the bytes of a file do not matter': ['await sha256Of(body as ByteBody)', "''"],
    'another order of fields is another body': ['sortedEntries(part', 'Object.entries(part'],
  }),
  ...bugsIn('shared/http/endpoint.ts', 'requests/idempotency-keys#at another address of a file', {
    'a key of a file stands for every address': ['params.path === undefined ? [] : [params.path]', '[]'],
  }),
  ...bugsIn(
    'shared/packages/changes/file-idempotency.ts',
    'requests/idempotency-keys#until a new key publishes it again',
    {
      'a deleted file is answered again': ['return isLive(found) ? found : undefined;', 'return found;'],
    },
  ),
  ...bugsIn('shared/table/creations.ts', 'requests/idempotency-keys', {
    'a key is kept until DynamoDB removes it': ['=> expiresAt > nowSeconds()', '=> expiresAt > 0'],
    'a key that has expired takes no other request': [
      ' OR #expiresAt <= :now',
      ' OR #expiresAt < #expiresAt AND :now = :now',
    ],
    'a key is kept twice': [' OR #expiresAt <= :now', ' OR #expiresAt <= :now OR attribute_exists(pk)'],
  }),
  ...bugsIn('shared/table/keys.ts', 'requests/idempotency-keys', {
    'a key belongs to every user': ['pk: `CREATION#${actorId}`', 'pk: `CREATION#${actorId.slice(0, 0)}`'],
  }),
  ...bugsIn('functions/packages/publish-package.ts', 'requests/idempotency-keys', {
    'a deleted version is answered again': ['if (!isLive(version))', 'if (!version)'],
  }),
];
