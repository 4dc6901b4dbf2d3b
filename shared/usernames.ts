/** The username that announces a token as the password: Basic `token:<token>`. */
export const tokenUsername = 'token';

/** Names that mean something else in a header or in a path. No new user can have one, but existing users keep theirs. */
const reserved = [tokenUsername, 'me', 'personal-access-tokens', '.', '..'];

const characters = '[a-z0-9._-]{1,30}';

/** The pattern of usernames. */
export const usernamePattern = `^${characters}$`;

/** The pattern of usernames that a new user can have. */
export const newUsernamePattern = `^(?!(?:${reserved.join('|').replaceAll('.', '\\.')})$)${characters}$`;

/** What the username of a new user must be. */
export const newUsernameRule = `1 to 30 lowercase letters, digits, dots, underscores and hyphens, and not one of the reserved names '${reserved.join("', '")}'`;

const shape = new RegExp(usernamePattern);

/** Whether a text can be the name of a user at all. */
export const isUsername = (text: string): boolean => shape.test(text);

const newShape = new RegExp(newUsernamePattern);

/** Whether a text can be the name of a new user. */
export const isNewUsername = (text: string): boolean => newShape.test(text);
