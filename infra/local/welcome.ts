import type { FirstAdmin, FirstAdminWish } from './first-admin.ts';
import type { Runner } from './runner.ts';

/** What a start prints before it creates the first system admin, unless somebody chose the password. */
export const announcement = ({ username, password }: FirstAdmin, wish: FirstAdminWish): string[] =>
  wish.password
    ? []
    : [`The first system admin is '${username}' with the password '${password}', shown only this once.`];

/**
 * What a start prints when it listens: the first commands to paste. A password that somebody chose is never among it. The directory
 * is the one that holds the users, if one does.
 */
export const greeting = (
  { url, firstAdmin }: Pick<Runner, 'url' | 'firstAdmin'>,
  wish: FirstAdminWish,
  dataDir: string | undefined,
): string[] => {
  const forPeople = `The console is at ${url}/, the reference at ${url}/docs.`;
  if (!firstAdmin)
    return [
      forPeople,
      'There is a system admin already, so STOCKROOM_ADMIN_USERNAME, STOCKROOM_ADMIN_PASSWORD and STOCKROOM_ADMIN_TOKEN_FILE are not used: no user was created, and no token written.',
      ...(dataDir === undefined
        ? []
        : [
            `To begin anew, stop this start, and start with another DATA_DIR, or remove ${dataDir}, and with it all users and packages.`,
          ]),
      'Sign in as a user of an earlier start. curl asks for the password:',
      `  curl -i -u USERNAME ${url}/1/users/me`,
    ];
  const { username } = firstAdmin;
  const generated = wish.password ? undefined : firstAdmin.password;
  const call = (path: string, body: object) =>
    `curl -i -u "${username}:${generated ?? '$STOCKROOM_ADMIN_PASSWORD'}" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' ${url}${path}`;
  return [
    forPeople,
    ...(generated ? [] : [`The commands below take the password of '${username}' from $STOCKROOM_ADMIN_PASSWORD.`]),
    'Create a workspace and a repository in it:',
    `  ${call('/1/workspaces', { name: 'acme' })} && ${call('/1/workspaces/acme/repositories/local', { name: 'npm-local', packageType: 'npm' })}`,
  ];
};
