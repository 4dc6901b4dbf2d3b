import type { Severity } from '../../shared/table/repositories/advisories.ts';

/** The weights of the metrics of a base score (www.first.org/cvss/v3-1/specification-document, 7.4). */
const weights: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};
const privileges = { U: { N: 0.85, L: 0.62, H: 0.27 }, C: { N: 0.85, L: 0.68, H: 0.5 } };

const roundedUp = (score: number): number => Math.ceil(Math.round(score * 100_000) / 10_000) / 10;

/** The base score of a vector of CVSS 3; undefined for any other text. */
export const baseScore = (vector: string): number | undefined => {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined;
  const metrics = Object.fromEntries(vector.split('/').map((part) => part.split(':') as [string, string]));
  const scope = metrics.S === 'C' ? 'C' : 'U';
  const weightOf = (name: string): number => weights[name]?.[metrics[name] ?? ''] ?? Number.NaN;
  const required = privileges[scope][metrics.PR as 'N' | 'L' | 'H'] ?? Number.NaN;
  const base = 1 - (1 - weightOf('C')) * (1 - weightOf('I')) * (1 - weightOf('A'));
  const impact = scope === 'U' ? 6.42 * base : 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15;
  const exploitability = 8.22 * weightOf('AV') * weightOf('AC') * required * weightOf('UI');
  const score = impact <= 0 ? 0 : roundedUp(Math.min((scope === 'U' ? 1 : 1.08) * (impact + exploitability), 10));
  return Number.isNaN(score) ? undefined : score;
};

/** The word for a base score (the same document, 5); none for 0. */
export const severityOfScore = (score: number): Severity | null => {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'moderate';
  return score > 0 ? 'low' : null;
};
