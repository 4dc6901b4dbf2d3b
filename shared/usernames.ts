/** The shape of a username; `token` announces a token in the Authorization header and is reserved. */
export const usernamePattern = '^(?!token$)[a-z0-9._-]{1,30}$';

const usernameShape = new RegExp(usernamePattern);

/** Whether a text can be the name of a user at all. */
export const isUsername = (text: string): boolean => usernameShape.test(text);
