/** The schema of the table as plain data, from which CDK, the local runner and the tests create it. */
export const tableSchema = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** DynamoDB deletes an item some time after this epoch second. Nothing relies on the exact time. */
  timeToLive: 'expiresAt',
  /** All records of changes, in a few partitions. It serves a list, and decides nothing. */
  recordsIndex: { name: 'records', partitionKey: 'recordShard', sortKey: 'sk' },
} as const;
