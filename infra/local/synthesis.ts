import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { buildDirectory } from '../api/bundles.ts';
import { digestOfSources, projectRoot } from './sources.ts';
import { StartError } from './start-error.ts';

/** Says what the bundles and the stack beside them were made from. Whoever builds bundles removes it first, with all bundles. */
export const builtFrom = join(buildDirectory, 'sources.txt');

const isBuilt = (digest: string, assembly: string): boolean =>
  existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === digest && existsSync(join(assembly, 'manifest.json'));

const textOf = async (stream: Readable | null): Promise<string> => (stream ? text(stream) : '');

/**
 * Builds the bundles and synthesises the stack, in a new process, so that it reads changed sources again. What is built of the same
 * sources already stays. With `uploads: 'local'` the stack has a door, whose host is the local runner, and with `reads: 'url'` a front
 * for reads. `say` gets what is done, step by step.
 */
export const synthesise = async (
  outputDirectory: string,
  parts: { readonly uploads?: 'local' | undefined; readonly reads?: 'url' | undefined },
  say: (step: string) => void = () => {},
): Promise<void> => {
  const context = JSON.stringify(parts);
  // Sources that change meanwhile are seen by the next start.
  const digest = digestOfSources(`${context} ${outputDirectory}`);
  if (isBuilt(digest, outputDirectory)) return say('Built from the same sources before.');
  const child = spawn(process.execPath, [join('infra', 'app.ts')], {
    cwd: projectRoot,
    // CDK's validation takes two thirds of a synthesis. What is deployed is validated, by `npm run synth` and the deployment.
    env: {
      ...process.env,
      CDK_CONTEXT_JSON: context,
      CDK_OUTDIR: outputDirectory,
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.on('message', (step) => typeof step === 'string' && say(step));
  const [output, errors, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new StartError(`The stack cannot be built:\n${output}${errors}`.trimEnd());
  writeFileSync(builtFrom, digest);
};
