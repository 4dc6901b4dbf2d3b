import { join } from 'node:path';
import { startRunner } from '../../infra/local/runner.ts';
import { assemblyWithDoor } from '../harness/assembly.ts';
import { firstAdmin } from '../harness/world.ts';

/** A local start with the stack that the tests have built, as a process that can be killed. Arguments: the data directory and the port. */
const [, , dataDir = '', port = ''] = process.argv;
await startRunner({
  assembly: assemblyWithDoor(),
  doorBundle: join(assemblyWithDoor(), 'door'),
  host: '127.0.0.1',
  port: Number(port),
  dataDir,
  firstAdmin,
  logSink: () => {},
  keepsSchedules: true,
});
process.stdout.write('listening\n');
