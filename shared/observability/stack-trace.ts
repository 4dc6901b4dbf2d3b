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

/** A place as V8 writes it: file, line, column, counted from one. */
const place = /(\/[^\s():]+\.js):(\d+):(\d+)/g;

/**
 * A stack trace with places in our sources instead of the bundle. `--enable-source-maps` would do the same for the price
 * of a sixth of every cold start: this reads the map when there is something to tell.
 */
export const sourceTrace = (trace: string): string =>
  trace.replaceAll(place, (text, file: string, line: string, column: string) => {
    const found: Partial<SourceMapping> = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1) ?? {};
    const { originalSource: source, originalLine = 0, originalColumn = 0 } = found;
    // What esbuild itself put into the bundle has no source.
    return source ? `${source.replace(/^(?:\.\.\/)+/, '')}:${originalLine + 1}:${originalColumn + 1}` : text;
  });
