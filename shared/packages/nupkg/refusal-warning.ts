import type { ProblemHeaders } from '../../http/built-contract.ts';

/** A header takes visible ASCII only, and proxies refuse very long ones. */
const lengthMax = 1_000;

/** Clients print nothing of the body of a refusal but its reason phrase, and this header as a warning. */
export const refusalWarning: ProblemHeaders = ({ detail }) => ({
  'X-NuGet-Warning': detail.replaceAll(/[^\u0020-\u007e]+/g, ' ').slice(0, lengthMax),
});
