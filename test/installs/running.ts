import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Sandbox } from '../clients/drivers/sandbox.ts';
import type { Client, Command, Source } from './client.ts';
import { options } from './options.ts';

/** What says which certificates and proxies the network of this machine needs: clients read no other variable of it. */
const networkVariables = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'PIP_CERT',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
  'GIT_SSL_CAINFO',
  'JAVA_TOOL_OPTIONS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

const passedOn = Object.fromEntries(
  networkVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
) as Readonly<Record<string, string>>;

/** What a command of a server or a client gets of the environment of this process. */
export const environmentWith = (variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
  ...passedOn,
  ...variables,
});

/** Runs a command until it ends or its time is over, with its output in a file; returns why it failed. */
const run = async (
  { project, home }: Sandbox,
  { file, parameters, variables }: Command,
  { log, milliseconds }: { readonly log: number; readonly milliseconds: number },
): Promise<string | undefined> => {
  const env = environmentWith({ HOME: home, CI: 'true', NO_COLOR: '1', ...variables });
  const child = spawn(file, parameters, { cwd: project, env, stdio: ['ignore', log, log] });
  const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code === null) return `did not end in ${options.secondsMax} s`;
  return code === 0 ? undefined : `ended with code ${code}`;
};

/** One installation. */
export interface Installation {
  readonly seconds: number;
  readonly packages: number;
  /** Why it failed, with the end of what the client printed. */
  readonly failure?: string;
}

/** The installations that did not fail. */
export const succeeded = <Each extends Installation>(installations: readonly Each[]): readonly Each[] =>
  installations.filter(({ failure }) => failure === undefined);

const endOf = (file: string): string => readFileSync(file, 'utf8').trim().split('\n').slice(-12).join('\n');

/** Installs the project of a client into an empty place, with empty caches. What it prints is in a file. */
export const install = async (client: Client, source: Source, output: string): Promise<Installation> => {
  const sandbox = new Sandbox();
  const log = openSync(output, 'w');
  try {
    const commands = client.commandsIn(sandbox, source);
    const begun = performance.now();
    let reason: string | undefined;
    for (const command of commands) {
      const milliseconds = options.secondsMax * 1000 - (performance.now() - begun);
      reason = await run(sandbox, command, { log, milliseconds });
      if (reason !== undefined) break;
    }
    const seconds = (performance.now() - begun) / 1000;
    const packages = client.packagesIn(sandbox);
    if (reason !== undefined) return { seconds, packages, failure: `${reason}:\n${endOf(output)}` };
    return { seconds, packages };
  } finally {
    closeSync(log);
    sandbox.remove();
  }
};
