import { gigabyte, type Line, logMegabytesOf, million, prices, type Reads, sum, usage } from './costs.ts';

/** The same requests at the front for reads: without API Gateway, its log, its authorizer and its traces. */
export const costOfFrontReads = (memoryMegabytes: number, kinds: readonly Reads[]): Line[] => {
  const { table: price } = prices;
  const total = (per: (kind: Reads) => number): number => sum(kinds.map((kind) => kind.millions * per(kind)));
  const gigabyteSeconds = total(({ milliseconds }) => milliseconds * 1_000) * (memoryMegabytes / 1024);
  return [
    ['API Gateway', 0],
    ['Lambda, calls', total(() => price.lambdaPerMillionCalls)],
    ['Lambda, time', gigabyteSeconds * price.lambdaPerGigabyteSecond],
    ['Table, read', total(({ readUnits }) => readUnits * price.tablePerMillionReadUnits)],
    ['Store, read', total(({ storeReadsPercent }) => (storeReadsPercent / 100) * price.storePerMillionReads)],
    ['Logs', (logMegabytesOf(kinds, usage.read.logBytes) * million * price.logsPerGigabyte) / gigabyte],
    ['Traces', 0],
    ['Data out', total(({ bytes }) => (million * bytes * price.transferPerGigabyte) / gigabyte)],
    ['Firewall (`prod`)', 0],
  ];
};

/** What one install costs in requests, without its data: a millionth of these lines. */
export const costOfInstall = (lines: readonly Line[]): number =>
  sum(lines.filter(([what]) => what !== 'Data out').map(([, cost]) => cost)) / million;
