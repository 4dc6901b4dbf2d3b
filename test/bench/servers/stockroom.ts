import { writeSync } from 'node:fs';
import { startRunner } from '../../../infra/local/runner.ts';
import { environment } from '../../../shared/config.ts';

// The service as `npm start` runs it, on an assembly that is built already, with its table in memory.
const { url, engineUrl, storeUrl, bucket, tableName } = await startRunner({
  assembly: process.argv[2] ?? '',
  host: '127.0.0.1',
  port: 0,
  dataDir: ':memory:',
  // The upstreams of the bench.
  environment: { [environment.allowedPrivateUpstreams]: '127.0.0.1' },
});
writeSync(3, `${JSON.stringify({ url, engineUrl, storeUrl, bucket, tableName })}\n`);
