/** The functions of the stack that an endpoint can invoke. */
export type InvokedFunction = 'fetcher' | 'verifier' | 'importer';

/** The DynamoDB actions that a use case can need. `infra` grants exactly the declared ones. */
export type TableAction =
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  /** Of the index of all records. */
  | 'Query records';

/**
 * The S3 actions on the objects under a prefix of the bucket that a use case can need. `infra` grants exactly the
 * declared ones.
 */
export type StoreRight =
  `${'GetObject' | 'PutObject' | 'DeleteObject' | 'AbortMultipartUpload' | 'ListMultipartUploadParts'} ${'blobs' | 'staging' | 'staging/rendered'}/*`;

/** What an endpoint has to do with the logs that say who fetched a version. */
export interface LogRights {
  /** Set if answers give files of versions: the log of the function says which, and to whom. */
  readonly servesFiles?: true;
  /** Set if the function searches the logs of those that serve files. */
  readonly readsDownloads?: true;
}
