/** The shape of the one table as plain data: CDK, the local runner and the tests create it from here. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** DynamoDB deletes an item some time after this epoch second; nothing relies on when. */
  timeToLive: 'expiresAt',
} as const;
