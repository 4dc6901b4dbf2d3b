import { type Cvss3P1, type Cvss4P0, fromVector } from 'ae-cvss-calculator';
import type { Severity } from '../../shared/table/repositories/advisories.ts';

/** A vector with every metric that there is has some 200 characters. */
const lengthMax = 500;

/** The score that the base metrics alone of a vector of CVSS 3 or 4 give; undefined for any other text, and where one of them is missing. */
export const baseScore = (vector: string): number | undefined => {
  if (vector.length > lengthMax || !/^CVSS:(?:3\.[01]|4\.0)\//.test(vector)) return undefined;
  const read = fromVector(vector) as Cvss3P1 | Cvss4P0 | null;
  if (!read?.isBaseFullyDefined()) return undefined;
  const scores = read.calculateScores();
  return 'baseMetricsOnly' in scores ? scores.baseMetricsOnly : scores.base;
};

/** The word for a base score, as for CVSS 3 and 4 (www.first.org/cvss/v4-0/specification-document, 6); none for 0. */
export const severityOfScore = (score: number): Severity | null => {
  if (score >= 9) return 'critical';
  if (score >= 7) return 'high';
  if (score >= 4) return 'moderate';
  return score > 0 ? 'low' : null;
};
