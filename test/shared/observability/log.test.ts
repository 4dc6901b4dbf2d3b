import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..', '..');
const moduleOf = (path: string): string => pathToFileURL(join(root, path)).href;

/** Errors as the SDK throws them: with the items of the table that failed a condition. */
const script = `
  import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
  const { ApiError } = await import('${moduleOf('shared/errors.ts')}');
  const { log } = await import('${moduleOf('shared/observability/log.ts')}');
  const Item = { passwordHash: { S: 'stored-secret' } };
  const errors = [
    new ConditionalCheckFailedException({ message: 'refused', $metadata: {}, Item }),
    new TransactionCanceledException({ message: 'refused', $metadata: {}, CancellationReasons: [{ Code: 'x', Item }] }),
  ];
  for (const cause of errors) {
    log.failure('request', 'users/get-user', new ApiError('INTERNAL_ERROR', undefined, [], { cause }));
    log.bestEffortFailure(cause);
    log.customResourceFailure(new Error('outer', { cause }));
    log.upstreamFailure({ kind: 'timeout', host: 'a.example', status: undefined, message: 'late', cause });
  }
`;

/** A run that no request waits for: an upstream has failed in it, and it ends. */
const runScript = (end: string): string => `
  const { log, logAdvisoryImport, logSweep } = await import('${moduleOf('shared/observability/log.ts')}');
  log.upstreamFailure({ kind: 'timeout', host: 'a.example', status: undefined, message: 'late', cause: undefined });
  ${end}({});
`;

/** The lines that a script logs. */
const linesOf = async (text: string): Promise<readonly string[]> => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
    cwd: root,
    env: { PATH: process.env.PATH },
  });
  return `${stdout}${stderr}`.trim().split('\n');
};

describe('The log', () => {
  it('has the name, the text and the stack of an error, and none of the items that the SDK attaches to it', async () => {
    const lines = await linesOf(script);
    expect(lines.map((line) => JSON.parse(line) as object)).toHaveLength(8);
    for (const line of lines)
      expect(line).toMatch(/"name":"(?:Transaction|Conditional)\w+","message":"refused","stack":/);
    expect(lines.join('\n')).not.toContain('stored-secret');
  });

  it.each(['log.fetch', 'log.verification', 'logAdvisoryImport', 'logSweep'])(
    'has what was counted in a run when it ends: %s',
    async (end) => {
      const counted = (await linesOf(runScript(end))).map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(counted.flatMap(({ upstreamFailures }) => upstreamFailures ?? [])).toEqual([1]);
    },
  );
});
