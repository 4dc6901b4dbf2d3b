import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { engineFolderVariable } from '../harness/table-engine.ts';
import { differences } from './differences.ts';

/** Runs the suites that speak to the table on DynamoDB Local, which refuses what DynamoDB refuses. */
const root = join(import.meta.dirname, '..', '..');
const cacheFolder = join(root, 'node_modules', '.cache');

const suites =
  `functions/ shared/table/ shared/packages/ content-sweeper.test creations.test lists.test package-races.test
  parallel-creates.test races.test released-items.test revocations.test sweeper.test table-calls.test tenants.test`
    .split(/\s+/)
    .map((name) => `test/${name}`);

/** The part of jest's report that this script reads. */
interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): number | null =>
  spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status;

/** The folder with DynamoDB Local: the one of the environment, or what Maven copies once for each version. */
const engineFolder = (): string => {
  const chosen = process.env[engineFolderVariable];
  if (chosen) return chosen;
  const pom = join(root, 'test', 'engine', 'pom.xml');
  const [, version] =
    /<artifactId>DynamoDBLocal<\/artifactId>\s*<version>([^<]+)</.exec(readFileSync(pom, 'utf8')) ?? [];
  const folder = join(cacheFolder, `dynamodb-local-${version}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  const copy = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  if (run('mvn', [...copy, `-DoutputDirectory=${unfinished}`]) !== 0)
    throw new Error(
      `Maven did not copy DynamoDB Local. Install Java 17 or newer and Maven, or set ${engineFolderVariable} to the folder of the unpacked archive of AWS.`,
    );
  renameSync(unfinished, folder);
  return folder;
};

const report = join(cacheFolder, 'test-engine.json');
const jest = join('node_modules', 'jest', 'bin', 'jest.js');
const chosen = process.argv.slice(2);
rmSync(report, { force: true });
run(
  process.execPath,
  [jest, '--json', `--outputFile=${report}`, '--testTimeout=120000', ...(chosen.length > 0 ? chosen : suites)],
  {
    ...process.env,
    [engineFolderVariable]: engineFolder(),
  },
);

const { numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
const isListed = (suite: string, test: string): boolean =>
  differences.some((difference) => difference.suite === suite && difference.test === test);
const unexpected: string[] = [];
for (const { name, message, assertionResults } of testResults) {
  const suite = relative(root, name);
  if (assertionResults.length === 0) unexpected.push(`${suite} did not run: ${message}`);
  for (const { fullName, status } of assertionResults) {
    if (status === 'failed' && !isListed(suite, fullName)) unexpected.push(`${suite}: ${fullName}: failed`);
    if (status === 'passed' && isListed(suite, fullName))
      unexpected.push(`${suite}: ${fullName}: passed, so remove it from test/engine/differences.ts`);
  }
}
process.stdout.write(`${numTotalTests} tests on DynamoDB Local, ${differences.length} expected differences:\n`);
for (const { suite, test, reason } of differences) process.stdout.write(`- ${suite}: ${test}: ${reason}\n`);
for (const line of unexpected) process.stdout.write(`UNEXPECTED ${line}\n`);
process.exitCode = numTotalTests === 0 || unexpected.length > 0 ? 1 : 0;
