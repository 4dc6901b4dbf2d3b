import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'stockroom-messages-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a program prints that fails. */
const failureOf = async (program: string, ...parameters: readonly string[]): Promise<string> =>
  promisify(execFile)(program, parameters, { cwd: root }).then(
    () => '',
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => stdout + stderr,
  );

const inRoot = (path: string): string => JSON.stringify(join(root, path));

describe('Whoever adds an endpoint and forgets something is told what', () => {
  it('an access that the path does not allow: one error, which names those that it does', async () => {
    const file = join(folder, 'contracts.mts');
    writeFileSync(
      file,
      `import { contract } from ${inRoot('shared/http/contract.ts')};
import { object } from ${inRoot('shared/http/schema.ts')};
export const wrong = contract({
  id: 'a/b', method: 'GET', path: '/1/workspaces/{workspace}', summary: '', access: 'user',
  answer: { kind: 'json', success: 200, result: object({}) }, errors: [], table: [],
});
`,
    );
    const compilerOptions = { typeRoots: [join(root, 'node_modules', '@types')] };
    const settings = { extends: join(root, 'tsconfig.json'), include: [file], compilerOptions };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const failure = await failureOf(join(root, 'node_modules', '.bin', 'tsc'), '--noEmit', '--project', folder);
    expect(failure.match(/error TS.*/g)).toHaveLength(1);
    expect(failure).toContain(
      `'"user"' is not assignable to type '"system-admin" | "workspace-admin" | "workspace-member"'`,
    );
  });

  it('a handler: the name of the file that is missing', async () => {
    const script = `const { bundle } = await import(${inRoot('infra/api/bundles.ts')});
      await bundle(['users/get-user', 'users/find-nobody'], 'functions', ${JSON.stringify(folder)});`;
    const failure = await failureOf(process.execPath, '--input-type=module', '--eval', script);
    expect(failure).toContain(
      'Error: functions/users/find-nobody.ts is missing: functions/endpoints.ts lists its contract, and a contract needs a handler.',
    );
  });
});
