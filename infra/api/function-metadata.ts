/** The resource metadata that holds the ID of a function, for the local runner and the tests. */
export const functionIdMetadata = 'stockroom:functionId';

/** The ID of the front for reads. */
export const frontId = 'package-reads';

/** The ID of the door, which is a server and no function: the role has it as metadata, and the bundle is named by it. */
export const doorFunctionId = 'door';
