/** The resource metadata that holds the ID of a function, for the local runner and the tests. */
export const functionIdMetadata = 'stockroom:functionId';
