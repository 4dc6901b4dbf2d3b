import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';

const maps = new Map<string, SourceMap | undefined>();

const readMap = (file: string): SourceMap | undefined => {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
};

const mapOf = (file: string): SourceMap | undefined => {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
};

/** A position as V8 writes it: the file, and the line and the column counted from one. */
const location = /(\/[^\s():]+\.js):(\d+):(\d+)/g;

/**
 * A stack trace with positions in the sources instead of the bundle. `--enable-source-maps` would do the same, but costs
 * a sixth of every cold start. This function reads the map only when there is an error to log.
 */
export const sourceTrace = (trace: string): string =>
  trace.replaceAll(location, (text, file: string, line: string, column: string) => {
    const found: Partial<SourceMapping> = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
    const { originalSource: source, originalLine = 0, originalColumn = 0 } = found;
    // Code that esbuild itself adds to the bundle has no source.
    return source ? `${source.replace(/^(?:\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}` : text;
  });
