import type { Root } from 'mdast';

/** Longer texts make more elements than a page can show. */
const textLengthMax = 256 * 1024;

/** How long a text may be parsed. One of usual length takes a tenth of a second. */
const millisecondsMax = 5000;

/** Makes texts into addresses of scripts; TypeScript has no type of it yet. See https://w3c.github.io/trusted-types/. */
interface ScriptPolicy {
  createScriptURL(text: string): string;
}
const { trustedTypes } = globalThis as {
  readonly trustedTypes?: { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy };
};

/** Makes any text into the address of this script: it is all that the page may load. */
const rules: ScriptPolicy = { createScriptURL: () => import.meta.url };
const policy = trustedTypes?.createPolicy('worker', rules) ?? rules;

/** The tree of a text in Markdown, parsed beside the page so that no text can stop it; undefined for one that takes too long. */
export const treeOf = async (text: string): Promise<Root | undefined> => {
  if (text.length > textLengthMax) return undefined;
  const worker = new Worker(policy.createScriptURL(''), { type: 'module' });
  try {
    return await new Promise<Root | undefined>((resolve) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Root>) => resolve(data));
      worker.addEventListener('error', () => resolve(undefined));
      setTimeout(resolve, millisecondsMax);
      worker.postMessage(text);
    });
  } finally {
    worker.terminate();
  }
};
