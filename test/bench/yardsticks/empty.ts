/** The smallest function that Lambda can start. */
export const handler = async (): Promise<object> => ({});
