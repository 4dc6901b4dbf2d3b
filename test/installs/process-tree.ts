import { readdirSync, readFileSync } from 'node:fs';

/** The unit of times in /proc is 1/100 s on Linux, whatever the kernel's own clock is: proc(5), sysconf(3). */
const ticksPerSecond = 100;

export const megabytes = 1_000_000;

const watchMilliseconds = 250;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  /** Those of children that have ended, and of what had ended below them. */
  readonly endedTicks: number;
}

/** A process as /proc/<pid>/stat has it; the command in brackets may contain spaces. Nothing if it has ended. */
const statOf = (pid: number): Stat | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    const endedTicks = endedUser + endedSystem;
    return { pid, parent: fields[1] ?? 0, ticks: user + system + endedTicks, endedTicks };
  } catch {
    return undefined;
  }
};

/** A process and all that it started, directly or not. */
const treeOf = (root: number): Stat[] => {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const all = pids.flatMap((pid) => statOf(Number(pid)) ?? []);
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
};

/** The memory of one process that is in RAM, in bytes; 0 if it has ended. */
export const residentBytes = (pid: number): number => {
  try {
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return 0;
  }
};

/** The memory of a process and all that it started which is in RAM, in bytes. */
export const memoryOf = (root: number): number => treeOf(root).reduce((sum, { pid }) => sum + residentBytes(pid), 0);

/** The seconds of a processor that a process and all that it started used so far. */
export const processorSecondsOf = (root: number): number =>
  treeOf(root).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;

/** The seconds of a processor that all children of this process used which have ended so far. */
export const endedProcessorSeconds = (): number => (statOf(process.pid)?.endedTicks ?? 0) / ticksPerSecond;

/** Watches how much memory a process and all that it started have at most. */
export class MemoryPeak {
  private readonly root: number;
  private readonly timer: NodeJS.Timeout;
  private max = 0;

  constructor(root: number) {
    this.root = root;
    this.timer = setInterval(() => this.look(), watchMilliseconds);
  }

  private look(): number {
    const bytes = memoryOf(this.root);
    this.max = Math.max(this.max, bytes);
    return bytes;
  }

  /** Ends the watch. */
  end(): { readonly peakBytes: number; readonly finalBytes: number } {
    clearInterval(this.timer);
    const finalBytes = this.look();
    return { peakBytes: this.max, finalBytes };
  }
}
