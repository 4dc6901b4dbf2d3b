import { type Aws, type Check, check, type Json, list, ofType } from './checks.ts';

/** The store as deployed. */
export const checkStore = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => {
  const [bucket = ''] = ofType(resources, 'AWS::S3::Bucket');
  const about = (operation: string) => aws('s3api', operation, '--bucket', bucket);
  const [access, encryption, versioning, policy] = await Promise.all([
    about('get-public-access-block'),
    about('get-bucket-encryption'),
    about('get-bucket-versioning'),
    about('get-bucket-policy'),
  ]);
  const [rule] = list(encryption?.ServerSideEncryptionConfiguration as Json | undefined, 'Rules');
  const { Statement: statements = [] } = JSON.parse((policy?.Policy as string | undefined) ?? '{}') as {
    Statement?: Json[];
  };
  return [
    check('the store cannot be made public', Object.values((access?.PublicAccessBlockConfiguration ?? {}) as Json), [
      true,
      true,
      true,
      true,
    ]),
    check(
      'the store is encrypted by S3',
      (rule?.ApplyServerSideEncryptionByDefault as Json | undefined)?.SSEAlgorithm,
      'AES256',
    ),
    check('the store keeps no versions', versioning?.Status ?? 'none', 'none'),
    check(
      'the store refuses plain HTTP, and to write a blob twice',
      statements.map(({ Effect, Action }) => [Effect, Action]),
      [
        ['Deny', 's3:*'],
        ['Deny', 's3:PutObject'],
      ],
    ),
  ];
};

/** The buckets of a stack: CloudFormation makes their names from the stack's, in lowercase. */
const bucketsOf = async (aws: Aws, stack: string): Promise<string[]> =>
  list(await aws('s3api', 'list-buckets'), 'Buckets')
    .map(({ Name }) => String(Name))
    .filter((name) => name.startsWith(stack.toLowerCase()));

/** What must not be left of the store after `cdk destroy`. */
export const checkStoreGone = async (aws: Aws, stack: string): Promise<Check[]> => [
  check('no store is left', await bucketsOf(aws, stack), []),
];

/** What `prod` keeps of the store after `cdk destroy`. */
export const checkStoreKept = async (aws: Aws, resources: readonly Json[]): Promise<Check[]> => [
  check('the store is kept', await bucketsOf(aws, 'Stockroom-prod'), ofType(resources, 'AWS::S3::Bucket')),
];
