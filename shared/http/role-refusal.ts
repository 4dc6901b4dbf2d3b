import { accessWords } from '../access.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import type { Contract } from './contract.ts';

/** The code by which an endpoint refuses a caller whose role is too low. */
export const roleRefusalCodeOf = ({ refusal = 'FORBIDDEN' }: Pick<Contract, 'refusal'>): ErrorCode => refusal;

/** The refusal of a caller whose role is too low. It says who may do this instead. */
export const roleRefusal = (contract: Pick<Contract, 'access' | 'refusal' | 'summary'>): ApiError => {
  const { access, summary } = contract;
  const deed = summary.charAt(0).toLowerCase() + summary.slice(1);
  return new ApiError(roleRefusalCodeOf(contract), `Only ${accessWords[access]} may ${deed}: ask one of them.`);
};
