/** The least that Lambda can start. */
export const handler = async (): Promise<object> => ({});
