import { accessWords } from '../access.ts';
import { ApiError, type ErrorCode } from '../errors.ts';
import type { TokenLimits } from '../table/identity/tokens.ts';
import type { Contract } from './contract.ts';

/** The code by which an endpoint refuses a caller whose role is too low. */
export const roleRefusalCodeOf = ({ refusal = 'FORBIDDEN' }: Pick<Contract, 'refusal'>): ErrorCode => refusal;

const deedOf = ({ summary }: Pick<Contract, 'summary'>): string => summary.charAt(0).toLowerCase() + summary.slice(1);

/** The refusal of a caller whose role is too low. It says who may do this instead. */
export const roleRefusal = (contract: Pick<Contract, 'access' | 'refusal' | 'summary'>): ApiError =>
  new ApiError(
    roleRefusalCodeOf(contract),
    `Only ${accessWords[contract.access]} may ${deedOf(contract)}: ask one of them.`,
  );

/** The refusal of a caller without a user, where something is about users. */
export const userRefusal = (contract: Pick<Contract, 'summary'>): ApiError =>
  new ApiError(
    'FORBIDDEN',
    `Only a user may ${deedOf(contract)}: send a personal access token or a password instead of this token.`,
  );

/** The refusal of a token whose limits do not allow this. */
export const limitRefusal = (contract: Pick<Contract, 'summary'>, { readOnly }: TokenLimits): ApiError =>
  new ApiError(
    'FORBIDDEN',
    `This token ${readOnly ? 'may only read' : 'has limits'}, and may not ${deedOf(contract)}: send a token without limits, or a password.`,
  );
