import { bugsIn, type Mutant } from './mutant.ts';

/** Bugs in how requests are read, who may send them, and how they are answered. */
export const requestMutants: readonly Mutant[] = [
  ...bugsIn('shared/auth/authorization-header.ts', 'shared/auth/authorization-header', {
    'a second Authorization header is passed over': ['if (others.length > 0) return undefined;', ''],
    'base64 with anything behind it is a credential': ["if (bytes.toString('base64') !== text) return undefined;", ''],
    'bytes that are no text are a password': ['{ fatal: true, ignoreBOM: true }', '{ ignoreBOM: true }'],
    'a password ends at its last colon': ["pair?.indexOf(':')", "pair?.lastIndexOf(':')"],
    'a scheme has a case': ["scheme.toLowerCase() === 'bearer'", "scheme === 'Bearer'"],
    'any bearer is a token': ["isToken(token) ? { kind: 'token', token } : undefined", "{ kind: 'token', token }"],
  }),
  ...bugsIn('shared/auth/tokens.ts', 'shared/auth/tokens', {
    'a typing error in a token costs a read': [
      'shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)',
      'shape.test(text)',
    ],
    'tokens have half of their bits': ['randomBytes(32)', 'randomBytes(16)'],
    'the ID of a token has no variant': [' & 0x3) | 0x8)', ') | 0x0)'],
  }),
  ...bugsIn('shared/auth/passwords.ts', 'shared/auth/passwords', {
    'hashes are cheap': ['memory: 19_456', 'memory: 64'],
    'the salt is short': ['const saltBytes = 16', 'const saltBytes = 4'],
    'a proven password outlives its change': [
      'JSON.stringify([userId, hash, password])',
      'JSON.stringify([userId, password])',
    ],
    'a proven password is that of every user': [
      'JSON.stringify([userId, hash, password])',
      'JSON.stringify([hash.length, password])',
    ],
    'an unknown user is answered without a hash': [
      'const stored = parse(owner?.passwordHash ?? impossible);',
      'if (!owner) return false;\n  const stored = parse(owner.passwordHash ?? impossible);',
    ],
    'hashes with old parameters are never renewed': ['memory !== parameters.memory || ', ''],
    'a wrong password is right': [
      'if (!matches || digest === undefined) return false;',
      'if (digest === undefined) return false;',
    ],
  }),
  ...bugsIn('shared/http/json.ts', 'shared/http/json', {
    'the last of two equal keys counts': [
      'if (object.has(key)) throw',
      'if (object.has(key) && key.length > 999) throw',
    ],
    'a key of prototypes is a field': ["new Set(['__proto__', 'constructor', 'prototype'])", "new Set(['__proto__'])"],
    'a body nests without end': ['containers.length > depthMax', 'containers.length > 100_000'],
    'half of a surrogate pair is a text': ['if (!value.isWellFormed()) throw', 'if (value.length > 99_999) throw'],
    'an escaped quote ends a string': ['if ((end - before) % 2 === 1) return end;', 'return end;'],
    'bytes that are no UTF-8 are replaced': ['{ fatal: true, ignoreBOM: true }', '{ ignoreBOM: true }'],
    'a list is a body': [
      "value === null || Array.isArray(value))\n    throw malformed('The request body must be",
      "value === null)\n    throw malformed('The request body must be",
    ],
  }),
  ...bugsIn('shared/http/validation.ts', 'shared/http/validation', {
    'the fields are listed for every unknown one': ['&& !listed.has(at) ?', '&& listed.size >= 0 ?'],
    'a slash in a name is a level of its pointer': [".replaceAll('/', '~1')", ''],
    'a field has a sentence for each rule': [
      'if (!byPointer.has(violation.pointer)) byPointer.set(violation.pointer, violation);',
      'byPointer.set(`${violation.pointer}${violation.rule}`, violation);',
    ],
    'names of fields are repeated whole': ['segment.slice(0, 100)', 'segment'],
    'null is not named where it is allowed': [
      'isNullable(shape) ? `${allowedScalar(shape)}, or null` : allowedScalar(shape)',
      'allowedScalar(shape)',
    ],
  }),
  ...bugsIn('shared/errors.ts', 'shared/http/response', {
    'a refusal has every violation': ['violations.slice(0, violationsMax)', 'violations.slice(0)'],
  }),
  ...bugsIn('shared/http/routes.ts', 'shared/http/request-address', {
    'the rest of a path is decoded': [
      "? segments.slice(depth).join('/') :",
      "? read(segments.slice(depth).join('/')) :",
    ],
  }),
  ...bugsIn('shared/http/request-address.ts', 'shared/http/request-address', {
    'parameters are decoded twice': [
      'return decodeURIComponent(segment);',
      'return decodeURIComponent(decodeURIComponent(segment));',
    ],
    'a base URL is never encrypted': ["?? 'https'", "?? 'http'"],
    'the base path is that of any path': ['requestContext.path.endsWith(path);', 'requestContext.path !== path;'],
  }),
  ...bugsIn('shared/http/cursors.ts', 'shared/http/cursors', {
    'a cursor is good for every caller': ['JSON.stringify([actor.id, scope])', 'JSON.stringify([actor.kind, scope])'],
    'a cursor is good for every list': [
      'JSON.stringify([actor.id, scope])',
      'JSON.stringify([actor.id, scope.length])',
    ],
    'a cursor outlives a password': ["createHmac('sha256', cursorSecret)", "createHmac('sha256', 'key')"],
    'anybody can change a cursor': [', decipher.final()]', ']'],
    'a cursor has many spellings': ["bytes.toString('base64url') !== cursor || ", ''],
  }),
  ...bugsIn('shared/http/answers/redirect.ts', 'functions/universal/get-universal-file#304 for a large file', {
    'a client is redirected to what it has': ['has ? 304 : 302', '302'],
    'the answer to who has it says where it is': ['...(!has && { Location: location })', 'Location: location'],
  }),
  ...bugsIn('shared/http/answers/bytes.ts', 'shared/http/answers/bytes', {
    'a range ends one byte late': ['bytes.subarray(first, last + 1)', 'bytes.subarray(first, last + 2)'],
    'a range of another version is served': [
      "event.httpMethod === 'GET' && isCurrent(event, etag) ?",
      "event.httpMethod === 'GET' ?",
    ],
    'a range beyond the end is the whole': [
      "first < length ? [first, last] : 'unsatisfiable'",
      'first < length ? [first, last] : undefined',
    ],
    'HEAD has a range': ["event.httpMethod === 'GET' && isCurrent", 'isCurrent'],
    'a range backwards is refused': [
      "if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;",
      '',
    ],
    'what the client has comes again': ['return make(304, new Uint8Array());', 'return make(200, bytes);'],
  }),
  ...bugsIn('shared/http/answers/file.ts', 'functions/system/get-reference-script', {
    'the script leaves uncompressed': ['isAlwaysCompressed ?? acceptsGzip(', 'acceptsGzip('],
  }),
  ...bugsIn('functions/users/update-user.ts', 'functions/users/update-user', {
    'the password that a user has is a new one': [
      '(await verifyPassword(user, password)) ? undefined : hashPassword',
      'hashPassword',
    ],
  }),
  ...bugsIn('shared/http/caller.ts', 'functions/tokens/delete-personal-access-token', {
    'an expired token is good until the gateway asks again': ['!(token && isCurrent(token))', '!token'],
    'a disabled user is good until the gateway asks again': [
      'user?.userId !== principal.userId || user.disabled',
      'user?.userId !== principal.userId',
      'functions/users/update-user#refuses a disabled user on the next request',
    ],
    'an old password is good until the gateway asks again': [
      'return user.passwordVersion === passwordVersion;',
      'return true;',
      'functions/users/update-user#who sets the password of another without knowing it',
    ],
    'a successor of the name is the same user': [
      'user?.userId !== principal.userId || user.disabled',
      'user?.disabled !== false',
      'rights/caller-context#put together of two callers',
    ],
    'a member is a workspace admin': [
      "membership?.role === 'admin'",
      'membership !== undefined',
      'rights/rights-model',
    ],
  }),
  ...bugsIn('shared/http/caller.ts', 'rights/limited-callers', {
    'a workspace token outlives its workspace': [' || !isThere', ''],
    'a workspace token sees every workspace': [
      'seesWorkspace = workspace?.workspaceId === workspaceId',
      'seesWorkspace = workspace !== undefined',
    ],
    'a level on some repositories is a level on all': [
      '(id: string) => grants.repositories[id]',
      '() => Object.values(grants.repositories)[0]',
    ],
    'a workspace token lists what it has no level on': [
      "'level' in grants ? undefined : Object.keys(grants.repositories)",
      'undefined',
    ],
  }),
  ...bugsIn('shared/http/token-limits.ts', 'rights/limited-callers', {
    'a limited System Admin keeps the power over all': [
      '    isSystemAdmin: false,\n    workspaces: visible,',
      '    isSystemAdmin: rights.isSystemAdmin,\n    workspaces: visible,',
    ],
    'a limit to workspaces lets others through': [
      'if (found === undefined) return { ...noRights, workspaces: visible };',
      'if (found === undefined) return rights;',
    ],
    'a limit to repositories leaves the workspace to its admin': [
      'rights.isWorkspaceAdmin && !among',
      'rights.isWorkspaceAdmin',
    ],
    'a limit to a level leaves the workspace to its admin': ["reaches(level ?? 'canManage', 'canManage')", 'true'],
    'a limit to repositories lets others through': ['(among?.includes(repository.repositoryId) ?? true)', 'true'],
    'a limit raises a level': ['max !== undefined && reaches(level, max) ? max : level', 'max ?? level'],
  }),
  ...bugsIn('shared/table/identity/tokens.ts', 'rights/limited-callers', {
    'a release without limits accepts a token with limits': [
      "limits ? `limited ${tokenGeneration ?? ''}` : tokenGeneration",
      'limits === undefined ? tokenGeneration : tokenGeneration',
    ],
  }),
  ...bugsIn(
    'shared/table/identity/token-rotation.ts',
    'functions/tokens/rotate-personal-access-token#A stream of requests',
    {
      'the old token ends at once': ['overlapSeconds === 0 ? null', 'overlapSeconds >= 0 ? null'],
      'the old token never ends': ["':until': until,", "':until': old.expirationDate,"],
    },
  ),
  ...bugsIn('shared/table/identity/token-rotation.ts', 'rights/limited-callers', {
    'a rotation loses the limits': [
      'return { userId, username, name, tokenGeneration, limits };',
      'return { userId, username, name, tokenGeneration, limits: limits && {} };',
    ],
  }),
  ...bugsIn('functions/tokens/target-token.ts', 'rights/limited-callers', {
    'a token with limits replaces a stronger one': [
      'call.caller.limits ? isItself(call.caller, token) : isTokenOf(token, call.caller.user),',
      'isTokenOf(token, call.caller.user),',
    ],
  }),
  ...bugsIn('shared/http/authorization.ts', 'rights/limited-callers', {
    'a token that may only read asks nothing by POST': [" || limitedTokens === 'ask'", ''],
    'a token that may only read writes': ['limits.readOnly || isAboutUser', 'isAboutUser'],
    'a token with limits makes another one': ['limits.readOnly || isAboutUser', 'limits.readOnly'],
    'a token with limits makes one of a workspace': [" || limitedTokens === 'refused'", ''],
    'a workspace token lists users': ['if (contract.isForUsers) requireUser(contract, caller);', ''],
    'a workspace token is a user': ['if (!user) throw userRefusal(contract);', ''],
  }),
  ...bugsIn('shared/http/authorization.ts', 'races/next-request', {
    'a foreign workspace is forbidden, not absent': [
      "throw new ApiError('WORKSPACE_NOT_FOUND');",
      "throw new ApiError('FORBIDDEN');",
      'rights/tenants',
    ],
    'a repository without a permission is shown': [
      "if (!repository || !caller.level) throw new ApiError('REPOSITORY_NOT_FOUND');",
      "if (!repository || !caller.level) throw new ApiError('FORBIDDEN');",
      'rights/rights-model',
    ],
    'who may view may deploy': [
      "'repository-deployer': 'canDeploy',",
      "'repository-deployer': 'canView',",
      'rights/access-matrix#universal/publish-universal-file',
    ],
    'oneself is everybody': [
      'requireThat(caller.isSystemAdmin || isOneself(caller, path.user));',
      '',
      'rights/access-matrix#users/update-user',
    ],
  }),
  ...bugsIn('shared/access.ts', 'rights/rights-model', {
    'a lower level reaches a higher one': [
      'permissionLevels.indexOf(level) >= permissionLevels.indexOf(needed)',
      'permissionLevels.indexOf(level) >= 0',
    ],
  }),
  ...bugsIn('shared/bounded-cache.ts', 'shared/bounded-cache', {
    'a cache grows without end': ['if (this.weight <= this.weightMax) return;', 'if (this.weight >= 0) return;'],
    'what is used most is dropped first': ['this.set(key, entry.value, entry.weight);', ''],
    'a deleted entry keeps its weight': ['this.weight -= this.entries.get(key)?.weight ?? 0;', ''],
  }),
];
