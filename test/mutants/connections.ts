import { bugsIn } from './mutant.ts';

const kept = 'shared/upstream/pooled-sockets';
const hard = 'shared/upstream/hard-upstreams';
const lent = 'shared/upstream/lent-connections';

/** Bugs in how connections to upstreams are made and kept. */
export const connectionMutants = [
  ...bugsIn('shared/packages/fetch/single-flight.ts', 'races/shared-questions', {
    'those who wait do not learn of a failure': ['if (failure) throw failedFetch(failure);', ''],
  }),
  ...bugsIn('shared/table/packages/upstream-fetches.ts', 'shared/packages/lifetimes', {
    'who read the cache just before it was filled asks once more': [
      '#storedAt < :seenAt)',
      '#storedAt < :seenAt OR #storedAt >= :seenAt)',
    ],
  }),
  ...bugsIn('shared/upstream/connection-pool.ts', hard, {
    'an upstream gets any number of connections': ['socketsMax: 24', 'socketsMax: 240'],
    'an upstream meets a burst of handshakes': ['handshakesMax: 8', 'handshakesMax: 24'],
    'a connection carries requests for other hosts': [
      'const { origin } = target.url;',
      'const origin = target.url.port;',
      kept,
    ],
    'a busy origin gets other connections beside its own': ['!each.isInUse()', 'each !== undefined', lent],
    'the origin that was met first is forgotten': [
      'this.origins.delete(origin);\n    this.origins.set',
      'this.origins.set',
      lent,
    ],
  }),
  ...bugsIn('shared/upstream/connection.ts', lent, {
    'a lost packet makes an address unusable': ['    autoSelectFamilyAttemptTimeout: attemptMilliseconds,\n', ''],
  }),
  ...bugsIn('shared/upstream/exchange.ts', lent, {
    'a request that cannot be sent keeps its connection': ['    giveBack(0);\n', ''],
    'a server must write timeout in small letters': ['/timeout=(\\d+)/i', '/timeout=(\\d+)/'],
  }),
  ...bugsIn('shared/upstream/origin-connections.ts', hard, {
    'use keeps a connection young': [
      'openedAt + this.bounds.ageMilliseconds',
      'now + this.bounds.ageMilliseconds',
      kept,
    ],
    'what nobody asked for answers the next request': [".unref().on('data', end)", '.unref()'],
    'a connection is kept longer than its server says': [
      'now + keptSeconds * 1_000 - closingMilliseconds',
      'now + keptSeconds * 1_000 + closingMilliseconds',
      'shared/upstream/addresses',
    ],
    'a repetition goes to a connection that may be dead': [
      'isFreshNow(idle) || !wish.isFresh',
      'isFreshNow(idle) || !wish.signal.aborted',
    ],
    'a repetition waits until the queue is empty': [
      'const hasRoom = this.opening + this.lent + this.idle.length < socketsMax || this.dropIdle();',
      'const hasRoom = this.opening + this.lent + this.idle.length < socketsMax;',
      lent,
    ],
    'an unused connection is fresh for ever': [
      'isFresh && openedAt + freshMilliseconds > Date.now()',
      'isFresh && openedAt > 0',
      lent,
    ],
    'a closed connection is lent': [' && idle.socket.writable) return idle;', ') return idle;', lent],
  }),
  ...bugsIn('shared/upstream/discard.ts', lent, {
    'what nobody uses is read to its end': ['if (bytes > bytesMax) message.destroy();', '', `${lent}#a long rest`],
    'what nobody uses is waited for': [
      'setTimeout(() => message.destroy(), milliseconds)',
      'setTimeout(() => bytes, milliseconds)',
      `${lent}#a slow rest`,
    ],
    'what nobody uses costs its connection': ['let bytes = 0;', 'let bytes = bytesMax;', `${lent}#a short rest`],
  }),
  ...bugsIn('shared/upstream/lookups.ts', hard, {
    'each connection looks its name up': ['until: Date.now() + this.keptMilliseconds', 'until: 0'],
    'a name is looked up once and for all': ['found && found.until > Date.now()', 'found', kept],
    'the time of a slow answer is taken from its life': [
      '      lookup.until = Date.now() + this.keptMilliseconds;\n',
      '',
      lent,
    ],
  }),
  ...bugsIn('shared/upstream/upstream-client.ts', hard, {
    'nothing is repeated': ["error.kind === 'unreachable')", "error.kind === 'aborted')"],
    'a slow answer is asked for again': ["error.kind === 'unreachable')", "error.kind !== 'aborted')"],
  }),
];
