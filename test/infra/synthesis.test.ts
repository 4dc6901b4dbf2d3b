import { execFile } from 'node:child_process';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { assemblyDirectory, synthesise as assemblyOfTests } from '../harness/assembly.ts';
import { sampleOf, today } from '../harness/sampling.ts';

const root = join(__dirname, '..', '..');

/** `cdk synth`, without the CLI: it hands the app its context in this variable. */
const synthesise = async (context: object): Promise<{ code: number; stdout: string; stderr: string }> => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, CDK_CONTEXT_JSON: JSON.stringify(context) };
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: root, env })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
};

/** What can be wrong with the context. To load CDK takes seconds: `npm test` starts one, another one every day. */
const wrong: readonly (readonly [string, object, string])[] = [
  [
    'a stage that there is not',
    { stage: 'live' },
    "There is no stage 'live' in cdk.json: choose one of dev, prod with -c stage=….\n",
  ],
  [
    'a kind of release that there is not',
    { release: 'now' },
    'There is no release "now": leave it out, or write -c release=at-once.\n',
  ],
  [
    'uploads that there are not',
    { uploads: 'fargate' },
    'There are no uploads "fargate" but those of cdk.json and -c uploads=local.\n',
  ],
  [
    'a setting that cannot be',
    { stages: { dev: { ...cdkJson.context.stages.dev, batchRepositoriesMax: 500 } } },
    "cdk.json, stage 'dev': batchRepositoriesMax must be a whole number from 1 to 100.\n",
  ],
];

describe('The synthesis', () => {
  it.each(sampleOf(wrong, today))(
    'ends before it builds, with one sentence and code 1, at %s',
    async (_, context, sentence) => {
      const { code, stdout, stderr } = await synthesise(context);
      expect([code, stdout, stderr]).toEqual([1, '', sentence]);
    },
  );

  it('knows no account and no Region', () => {
    const manifest = JSON.parse(readFileSync(join(assemblyDirectory(), 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { environment?: string }>;
    };
    expect(manifest.artifacts['Stockroom-dev']?.environment).toBe('aws://unknown-account/unknown-region');
  });
});

describe('The assembly of the tests', () => {
  it('counts as used whenever a run takes it, so that no other one removes it as old', async () => {
    const directory = await assemblyOfTests();
    const halfAnHourAgo = new Date(Date.now() - 30 * 60_000);
    utimesSync(directory, halfAnHourAgo, halfAnHourAgo);
    expect(await assemblyOfTests()).toBe(directory);
    expect(statSync(directory).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
  });
});
