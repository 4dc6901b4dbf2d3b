import { writeSync } from 'node:fs';
import { bundleOf, doorBundleId } from '../../../infra/api/bundles.ts';
import { startRunner } from '../../../infra/local/runner.ts';
import { environment } from '../../../shared/config.ts';

// The service as `npm start` runs it, on an assembly that is built already, with its table in memory.
// Its own gateway answers what is small, without the door in front.
const {
  url: doorUrl,
  apiUrl: url,
  engineUrl,
  storeUrl,
  kmsUrl,
  bucket,
  tableName,
} = await startRunner({
  assembly: process.argv[2] ?? '',
  host: '127.0.0.1',
  port: 0,
  dataDir: ':memory:',
  doorBundle: bundleOf(doorBundleId),
  // The upstreams of the bench.
  environment: { [environment.allowedPrivateUpstreams]: '127.0.0.1' },
});
writeSync(3, `${JSON.stringify({ url, doorUrl, engineUrl, storeUrl, kmsUrl, bucket, tableName })}\n`);
