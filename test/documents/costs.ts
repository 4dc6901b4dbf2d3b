import { tracedReads, tracedRequests } from '../../infra/api/traces.ts';
import type { TemplateResource } from '../infra/templates.ts';

/**
 * List prices in US dollars of the Region us-east-1, without free tiers, noted from AWS's public price pages on the date
 * below. Check them before you rely on them, and change the date with them.
 */
export const prices = {
  date: '2026-11-21',
  region: 'us-east-1',
  table: {
    apiGatewayPerMillionRequests: 3.5,
    lambdaPerMillionCalls: 0.2,
    lambdaPerGigabyteSecond: 0.000_013_333_4,
    tablePerMillionReadUnits: 0.125,
    tablePerMillionWriteUnits: 0.625,
    tablePerGigabyteMonth: 0.25,
    recoveryPerGigabyteMonth: 0.2,
    streamPerMillionReads: 0.2,
    logsPerGigabyte: 0.5,
    tracesPerMillion: 5,
    transferPerGigabyte: 0.09,
    eventsPerMillion: 1,
    pipesPerMillion: 0.4,
    storePerGigabyteMonth: 0.023,
    storePerMillionReads: 0.4,
    storePerMillionWrites: 5,
    keyPerMonth: 1,
    secretPerMonth: 0.4,
    alarmMetricPerMonth: 0.1,
    dashboardPerMonth: 3,
    customMetricPerMonth: 0.3,
    firewallPerMonth: 5,
    firewallRulePerMonth: 1,
    firewallPerMillionRequests: 0.6,
  },
} as const;

/** What no machine but AWS's can measure; change it to what the dashboard shows. */
export const assumptions = {
  handlerMilliseconds: 20,
  authorizerMilliseconds: 15,
  /** Of a hundred requests so many find the answer of the authorizer remembered. */
  authorizationsRememberedPercent: 90,
  writesPercent: 5,
  accessLogBytes: 250,
  answerBytes: 1_500,
  /** What clients of packages get on average. */
  downloadBytes: 1_000_000,
  packumentBytes: 20_000,
  tarballBytes: 50_000,
  /** An install sends its requests within five minutes, for which API Gateway remembers the caller. */
  installsRememberedPercent: 99,
  /** A download is of a large file. Packuments and tarballs are read again while a process still has them in memory. */
  download: { milliseconds: 20, storeReadsPercent: 100 },
  packument: { milliseconds: 12, storeReadsPercent: 10 },
  tarball: { milliseconds: 22, storeReadsPercent: 50 },
  servedLogBytes: 70,
  /** Series that functions write in a month with traffic: the counts, and the refusals by reason. */
  customMetrics: 23,
  /** How often the pipe asks each shard of the stream: as often as a trigger of Lambda does. */
  streamReadsPerSecond: 4,
} as const;

/** What one request uses. */
export interface Usage {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly logBytes: number;
}

/** As loaded when the runbook was written; its test measures again. */
export const usage = {
  read: { readUnits: 2, writeUnits: 0, logBytes: 590 },
  create: { readUnits: 4, writeUnits: 9, logBytes: 1_180 },
  authorizer: { readUnits: 1, writeUnits: 0, logBytes: 0 },
} as const satisfies Record<string, Usage>;

/** The kinds of requests, and the authorizer when it is asked, in the words of the runbook. */
const usageNames: Readonly<Record<keyof typeof usage, string>> = {
  read: 'Read a repository',
  create: 'Create a local repository',
  authorizer: 'The authorizer, when asked',
};

/** A line of a table of costs. */
export type Line = readonly [what: string, dollars: number];

export const gigabyte = 1e9;
export const million = 1e6;
const secondsPerMonth = 730 * 3600;

/** A record of up to 1 KB: two units in its transaction, and one in the index. */
const recordUnits = 3;

/** A million requests, of which some create a repository and the others read one. */
export const costOfMillion = (memoryMegabytes: number): Line[] => {
  const { table: price } = prices;
  const { read, create, authorizer } = usage;
  const writes = assumptions.writesPercent / 100;
  const asked = 1 - assumptions.authorizationsRememberedPercent / 100;
  const perRequest = (field: keyof Usage): number =>
    (1 - writes) * read[field] + writes * create[field] + asked * authorizer[field];
  const seconds = (assumptions.handlerMilliseconds + asked * assumptions.authorizerMilliseconds) / 1000;
  const logBytes = perRequest('logBytes') + assumptions.accessLogBytes;
  return [
    ['API Gateway', price.apiGatewayPerMillionRequests],
    ['Lambda, calls', (1 + asked) * price.lambdaPerMillionCalls],
    ['Lambda, time', million * seconds * (memoryMegabytes / 1024) * price.lambdaPerGigabyteSecond],
    ['Table, read', perRequest('readUnits') * price.tablePerMillionReadUnits],
    ['Table, written', perRequest('writeUnits') * price.tablePerMillionWriteUnits],
    ['Events', writes * (price.eventsPerMillion + price.pipesPerMillion)],
    ['Logs', (million * logBytes * price.logsPerGigabyte) / gigabyte],
    ['Traces', tracedRequests * price.tracesPerMillion],
    ['Data out', (million * assumptions.answerBytes * price.transferPerGigabyte) / gigabyte],
    ['Firewall (`prod`)', price.firewallPerMillionRequests],
  ];
};

/** A kind of request of package clients: what one reads of the table, how many there are, and how large its answer is. */
export interface Reads {
  readonly millions: number;
  readonly readUnits: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly storeReadsPercent: number;
  /** What the line of a request has more that gives a file of a version: which one, and the address of the client. */
  readonly servedLogBytes?: number;
}

/** The bytes of log lines of such requests, in millions. */
export const logMegabytesOf = (kinds: readonly Reads[], logBytes: number): number =>
  sum(kinds.map(({ millions, servedLogBytes = 0 }) => millions * (logBytes + servedLogBytes)));

/** Requests for packages by way of API Gateway, which remembers so many callers of a hundred. */
export const costOfReads = (memoryMegabytes: number, kinds: readonly Reads[], rememberedPercent: number): Line[] => {
  const { table: price } = prices;
  const { read, authorizer } = usage;
  const asked = 1 - rememberedPercent / 100;
  const total = (per: (kind: Reads) => number): number => sum(kinds.map((kind) => kind.millions * per(kind)));
  const millisecondsOf = (kind: Reads): number => kind.milliseconds + asked * assumptions.authorizerMilliseconds;
  const gigabyteSeconds = total((kind) => millisecondsOf(kind) * 1_000) * (memoryMegabytes / 1024);
  const logBytes = read.logBytes + assumptions.accessLogBytes;
  const unitsOf = ({ readUnits }: Reads): number => readUnits + asked * authorizer.readUnits;
  return [
    ['API Gateway', total(() => price.apiGatewayPerMillionRequests)],
    ['Lambda, calls', total(() => (1 + asked) * price.lambdaPerMillionCalls)],
    ['Lambda, time', gigabyteSeconds * price.lambdaPerGigabyteSecond],
    ['Table, read', total((kind) => unitsOf(kind) * price.tablePerMillionReadUnits)],
    ['Store, read', total(({ storeReadsPercent }) => (storeReadsPercent / 100) * price.storePerMillionReads)],
    ['Logs', (logMegabytesOf(kinds, logBytes) * million * price.logsPerGigabyte) / gigabyte],
    ['Traces', total(() => tracedReads * price.tracesPerMillion)],
    ['Data out', total(({ bytes }) => (million * bytes * price.transferPerGigabyte) / gigabyte)],
    ['Firewall (`prod`)', total(() => price.firewallPerMillionRequests)],
  ];
};

/** A month of bytes in the store. */
export const costOfStored = (gigabytes: number): string => dollars(gigabytes * prices.table.storePerGigabyteMonth);

const ofType = (resources: readonly TemplateResource[], type: string): TemplateResource[] =>
  resources.filter(({ Type }) => Type === type);

/** The metrics of an alarm: an expression is charged by those that it reads. */
const metricsOf = ({ Properties = {} }: TemplateResource): number =>
  ((Properties.Metrics ?? [{ MetricStat: {} }]) as { MetricStat?: unknown }[]).filter(({ MetricStat }) => MetricStat)
    .length;

const rulesOf = ({ Properties = {} }: TemplateResource): number => (Properties.Rules as unknown[]).length;

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** A month in which nobody calls: what the resources of a stage cost by being there. */
export const costOfIdleMonth = (resources: readonly TemplateResource[]): Line[] => {
  const { table: price } = prices;
  const firewalls = ofType(resources, 'AWS::WAFv2::WebACL');
  const rules = sum(firewalls.map(rulesOf));
  return [
    ['Keys', ofType(resources, 'AWS::KMS::Key').length * price.keyPerMonth],
    ['Secret', ofType(resources, 'AWS::SecretsManager::Secret').length * price.secretPerMonth],
    ['Alarms', sum(ofType(resources, 'AWS::CloudWatch::Alarm').map(metricsOf)) * price.alarmMetricPerMonth],
    ['Dashboard', ofType(resources, 'AWS::CloudWatch::Dashboard').length * price.dashboardPerMonth],
    ['Firewall', firewalls.length * price.firewallPerMonth + rules * price.firewallRulePerMonth],
  ];
};

const dollars = (amount: number): string => amount.toFixed(2);

/** A table in Markdown, with a column of dollars for each list of lines and their sums. */
export const costTable = (columns: Readonly<Record<string, readonly Line[]>>): string => {
  const lists = Object.values(columns);
  const names = lists[0]?.map(([what]) => what) ?? [];
  const row = (name: string, cells: readonly string[]): string => `| ${[name, ...cells].join(' | ')} |`;
  return [
    row('', Object.keys(columns)),
    row(
      '---',
      lists.map(() => '---:'),
    ),
    ...names.map((name, at) =>
      row(
        name,
        lists.map((lines) => dollars(lines[at]?.[1] ?? 0)),
      ),
    ),
    row(
      '**Sum**',
      lists.map((lines) => `**${dollars(sum(lines.map(([, cost]) => cost)))}**`),
    ),
  ].join('\n');
};

/** The series of metrics that functions write, in a month with traffic. */
export const costOfMetrics = (): string => dollars(assumptions.customMetrics * prices.table.customMetricPerMonth);

/** What the records of a million changes cost at once: their units, and their events. */
export const costOfRecords = (): { readonly units: string; readonly events: string } => {
  const { tablePerMillionWriteUnits, eventsPerMillion, pipesPerMillion } = prices.table;
  return {
    units: dollars(recordUnits * tablePerMillionWriteUnits),
    events: dollars(eventsPerMillion + pipesPerMillion),
  };
};

/** A month of reads of one shard of the stream. */
export const costOfStreamShard = (): string =>
  dollars((assumptions.streamReadsPerSecond * secondsPerMonth * prices.table.streamPerMillionReads) / million);

/** The usage as a table in Markdown. */
export const usageTable = (): string =>
  [
    '| | read units | write units | log, bytes |',
    '| --- | ---: | ---: | ---: |',
    ...Object.entries(usage).map(
      ([name, { readUnits, writeUnits, logBytes }]) =>
        `| ${usageNames[name as keyof typeof usage]} | ${readUnits} | ${writeUnits} | ${logBytes} |`,
    ),
  ].join('\n');

/** The prices as a table in Markdown. */
export const priceTable = (): string =>
  [
    `| List price, ${prices.region}, noted ${prices.date} | $ |`,
    '| --- | ---: |',
    ...Object.entries(prices.table).map(([name, price]) => `| ${name} | ${price} |`),
  ].join('\n');
