import { gigabyte, type Line, logMegabytesOf, million, prices, type Reads, sum, usage } from './costs.ts';
import { doorPrices } from './door-costs.ts';

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

/** Reads behind CloudFront. A file that is redirected to is a second request of CloudFront and of a function of it. */
interface EdgeReads extends Reads {
  readonly edgeRequests: number;
}

/** What the front does not cost, or CloudFront in its place. */
const notOfFront: ReadonlySet<string> = new Set(['API Gateway', 'Traces', 'Data out', 'Firewall (`prod`)']);

/** The same requests at the front behind CloudFront. What the origins send to CloudFront is free. */
export const costOfEdgeReads = (memoryMegabytes: number, kinds: readonly EdgeReads[]): Line[] => {
  const { edgePerTenThousandRequests, edgeFunctionPerMillionRequests, edgePerGigabyteToClients } = doorPrices;
  const requests = sum(kinds.map(({ millions, edgeRequests }) => millions * edgeRequests));
  const gigabytes = sum(kinds.map(({ millions, bytes }) => (millions * million * bytes) / gigabyte));
  return [
    ...costOfFrontReads(memoryMegabytes, kinds).filter(([what]) => !notOfFront.has(what)),
    ['CloudFront, requests', requests * (million / 10_000) * edgePerTenThousandRequests],
    ['CloudFront, functions', requests * edgeFunctionPerMillionRequests],
    ['CloudFront, data out', gigabytes * edgePerGigabyteToClients],
  ];
};

/** What one install costs in requests, without its data: a millionth of these lines. */
export const costOfInstall = (lines: readonly Line[]): number =>
  sum(lines.filter(([what]) => !what.endsWith('ata out')).map(([, cost]) => cost)) / million;
