/** The header by which the console says that it is the console. Only a page of this origin can send it, because no answer allows another. */
export const consoleHeader = 'X-Stockroom-Console';
