import { readdirSync, readFileSync } from 'node:fs';

const mebibyte = 1024 * 1024;

/** The memory of a process that is in RAM, in bytes; 0 if the process is gone. */
const residentBytes = (pid: number): number => {
  try {
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return 0;
  }
};

const parentOf = (pid: string): number => {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
};

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');

/** The process that a process has started with a word in its command. */
export const childWith = (parent: number, word: string): number => {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === parent);
  const child = children.map(Number).find((pid) => commandOf(pid).includes(word));
  if (child === undefined) throw new Error(`The process ${parent} has no child with '${word}' in its command.`);
  return child;
};

/** Watches the memory of a process. */
export class MemoryWatch {
  private readonly pid: number;
  private readonly name: string;
  private readonly before: number;
  private max: number;
  private readonly timer: NodeJS.Timeout;

  constructor(name: string, pid: number) {
    this.name = name;
    this.pid = pid;
    this.before = residentBytes(pid);
    this.max = this.before;
    this.timer = setInterval(() => {
      this.max = Math.max(this.max, residentBytes(pid));
    }, 50);
  }

  /** Ends the watch; returns by how many bytes the maximum was above the beginning, and prints the figures. */
  end(): number {
    clearInterval(this.timer);
    const figures = { before: this.before, after: residentBytes(this.pid), max: this.max };
    const texts = Object.entries(figures).map(([when, bytes]) => `${when} ${Math.round(bytes / mebibyte)} MiB`);
    process.stdout.write(`${this.name}: resident ${texts.join(', ')}\n`);
    return this.max - this.before;
  }
}
