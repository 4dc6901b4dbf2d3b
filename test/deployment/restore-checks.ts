import { type Aws, type Check, check, type Json } from './checks.ts';

/** The name of the restored table, as in the runbook. */
export const restoredTable = 'stockroom-restored';

/** Restores a table as the runbook does, and looks whether the new one has an item and the settings. */
export const checkRestoredTable = async (aws: Aws, table: string, item: Json): Promise<Check[]> => {
  const described = (await aws('dynamodb', 'describe-table', '--table-name', table))?.Table as Json | undefined;
  const { KMSMasterKeyArn: key } = (described?.SSEDescription ?? {}) as Json;
  const about = ['--table-name', restoredTable];
  const source = ['--source-table-name', table, '--restore-date-time', new Date().toISOString()];
  const target = ['--target-table-name', restoredTable, '--sse-specification-override'];
  const encryption = `Enabled=true,SSEType=KMS,KMSMasterKeyId=${String(key)}`;
  await aws('dynamodb', 'restore-table-to-point-in-time', ...source, ...target, encryption);
  await aws('dynamodb', 'wait', 'table-exists', ...about);
  const expiry = ['--time-to-live-specification', 'Enabled=true,AttributeName=expiresAt'];
  await aws('dynamodb', 'update-time-to-live', ...about, ...expiry);
  const recovery = [
    '--point-in-time-recovery-specification',
    'PointInTimeRecoveryEnabled=true,RecoveryPeriodInDays=35',
  ];
  const backups = await aws('dynamodb', 'update-continuous-backups', ...about, ...recovery);
  const found = await aws('dynamodb', 'get-item', ...about, '--key', JSON.stringify(item));
  const lifetime = await aws('dynamodb', 'describe-time-to-live', ...about);
  const { ContinuousBackupsDescription: backed = {} } = backups ?? {};
  return [
    check('the restored table has what the table held', found?.Item, item),
    check('the restored table forgets what has expired', lifetime?.TimeToLiveDescription, {
      TimeToLiveStatus: 'ENABLED',
      AttributeName: 'expiresAt',
    }),
    check('the restored table has continuous backups', (backed as Json).ContinuousBackupsStatus, 'ENABLED'),
  ];
};

/** What the import of the restored table says until the emulator refuses its change set. */
export const checkImport = (output: string): Check[] => [
  {
    title: 'the import takes the restored table by its name, and finds no other change',
    isMet:
      output.includes(`/Restored/Resource: importing using TableName=${restoredTable}`) &&
      output.includes('creating CloudFormation changeset'),
    found: output,
  },
];
