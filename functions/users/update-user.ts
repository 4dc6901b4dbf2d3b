import { randomUUID } from 'node:crypto';
import { hashPassword, verifyPassword } from '../../shared/auth/passwords.ts';
import { ApiError, invalid } from '../../shared/errors.ts';
import type { Call } from '../../shared/http/call.ts';
import type { UserCaller } from '../../shared/http/caller.ts';
import type { BodyOf } from '../../shared/http/contract.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { provesPassword } from '../../shared/http/password-check.ts';
import { targetUserKeys, targetUserOf } from '../../shared/http/target-user.ts';
import { type User, updateStoredUser } from '../../shared/table/identity/users.ts';
import { updateUser } from './contracts.ts';
import { userRecord } from './record.ts';

type Patch = BodyOf<typeof updateUser>;

const adminFields = ['disabled', 'userRole', 'email'] as const;

const checkRole = ({ isSystemAdmin }: Pick<UserCaller, 'isSystemAdmin'>, body: Patch): void => {
  const [field] = isSystemAdmin ? [] : adminFields.filter((name) => body[name] !== undefined);
  if (field) throw new ApiError('FORBIDDEN', `Only System Admins may change ${field}: ask one of them.`);
};

const wrongPassword = (rule: 'required' | 'current'): ApiError => {
  const message = 'currentPassword must be your present password, so that you can set a new one.';
  return invalid([{ pointer: '/currentPassword', rule, message }]);
};

/** Users who set their own password must prove the present one, so that a leaked token is not enough. */
const provePassword = async ({ caller: { user }, body, source, table }: Call<typeof updateUser>): Promise<string> => {
  if (body.currentPassword === undefined) throw wrongPassword('required');
  if (!(await provesPassword(table, user, body.currentPassword, source))) throw wrongPassword('current');
  return user.passwordVersion;
};

/**
 * The hash of a new password; undefined for the password that the user has already. It stays as it is, with the sessions that it began:
 * what API Gateway remembers of a replaced password would refuse an equal one until its five minutes are over.
 */
const newHashOf = async (user: User, password: string): Promise<string | undefined> =>
  (await verifyPassword(user, password)) ? undefined : hashPassword(password);

export const handler = endpoint(
  updateUser,
  async (call) => {
    const { body, caller, table } = call;
    const { disabled, userRole, firstName, lastName, email, password, revokeTokens } = body;
    const target = targetUserOf(call);
    checkRole(caller, body);
    const isOwnPassword = password !== undefined && target.userId === caller.user.userId;
    const provenVersion = isOwnPassword ? await provePassword(call) : undefined;
    const passwordHash = password === undefined ? undefined : await newHashOf(target, password);
    const patch = {
      disabled,
      userRole,
      firstName,
      lastName,
      email: email?.toLowerCase() ?? email,
      passwordHash,
      tokenGeneration: revokeTokens ? randomUUID() : undefined,
    };
    const user = await updateStoredUser(table, target, patch, provenVersion);
    if (user === 'email taken') throw new ApiError('EMAIL_TAKEN');
    if (user === 'last system admin') throw new ApiError('LAST_SYSTEM_ADMIN');
    if (user === 'password changed') throw wrongPassword('current');
    return userRecord(user);
  },
  { alsoRead: targetUserKeys },
);
