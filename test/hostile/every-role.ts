import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getOpenApiDocument } from '../../functions/system/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { callers } from '../harness/callers.ts';
import { buildFixture, type Fixture } from '../harness/fixture.ts';
import { useService } from '../harness/service.ts';

/**
 * The second part of `npm run test:hostile`: Schemathesis makes requests from the served document, as each role. It is a
 * program in Python from PyPI; SCHEMATHESIS is the path of its command.
 */
const schemathesis = process.env.SCHEMATHESIS ?? 'schemathesis';
const examples = process.env.HOSTILE_EXAMPLES ?? '100';

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const runMilliseconds = 60 * 60 * 1000;

const service = useService();
let fixture: Fixture;

/** Schemathesis keeps what it found in its working directory. */
const directory = mkdtempSync(join(tmpdir(), 'stockroom-hostile-'));

beforeAll(async () => {
  // The examples of the document name the first system admin, and one of them changes the password.
  const systemAdmin = await service.world.user({ userRole: 'system-admin' });
  fixture = { ...(await buildFixture(service)), systemAdmin };
  await writeDocument();
});

/**
 * The document without the patterns that only regular expressions of ECMAScript know: Schemathesis cannot make values of
 * them.
 */
const writeDocument = async (): Promise<void> => {
  const { text } = await service.client.attempt(getOpenApiDocument, {});
  const document = JSON.stringify(JSON.parse(text), (key, value: unknown) =>
    key === 'pattern' && String(value).includes('\\p{') ? undefined : value,
  );
  writeFileSync(join(directory, 'openapi.json'), document);
};

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Runs it to its end; the output of a failed run is in the error. */
const attack = async (...credential: string[]): Promise<string> => {
  const headers = credential.flatMap((value) => ['--header', `Authorization:${value}`]);
  const parameters = ['run', 'openapi.json', '--url', service.runner.url, ...headers];
  const bounds = ['--checks', checks.join(), '--phases', 'examples,coverage,fuzzing', '--max-examples', examples];
  const options = { cwd: directory, maxBuffer: 64 * 1024 * 1024, timeout: runMilliseconds };
  const { stdout } = await promisify(execFile)(
    schemathesis,
    [...parameters, ...bounds, '--no-color', '--continue-on-failure', '--suppress-health-check', 'all'],
    options,
  ).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout ?? ''}\n${error.stderr ?? ''}`, { cause: error });
  });
  return stdout;
};

describe('requests that are made from the document', () => {
  it(
    'are answered as it says without a credential',
    async () => {
      process.stdout.write(await attack());
    },
    runMilliseconds,
  );

  it.each(callers)(
    'are answered as it says to the role %s',
    async (role) => {
      process.stdout.write(await attack(fixture[role].bearer));
      // Otherwise the requests were those of nobody.
      expect((await service.client.call(getCurrentUser, { as: fixture[role].bearer })).status).toBe(200);
    },
    runMilliseconds,
  );
});
