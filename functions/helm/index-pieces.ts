import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { parseYaml } from '../../shared/packages/formats/yaml.ts';

const label = 'The index of the upstream';

/** A line without its end, and whether it can begin something: it is neither blank nor a comment. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
  readonly isContent: boolean;
  readonly isItem: boolean;
}

const [space, hyphen, hash, lineFeed, carriageReturn] = Array.from(' -#\n\r', (each) => each.charCodeAt(0));

const linesOf = function* (bytes: Buffer): Generator<Line> {
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const found = bytes.indexOf(lineFeed ?? 0, start);
    end = found < 0 ? bytes.length : found + 1;
    let at = start;
    while (bytes[at] === space) at += 1;
    const isBlank = at >= end || bytes[at] === lineFeed || bytes[at] === carriageReturn;
    const isItem = bytes[at] === hyphen && [space, lineFeed, carriageReturn].includes(bytes[at + 1]);
    yield { start, end, indent: at - start, isContent: !isBlank && bytes[at] !== hash, isItem };
  }
};

/** The texts of an index: what is around the charts, and one text for each chart. */
interface Pieces {
  readonly head: Buffer;
  readonly charts: readonly Buffer[];
}

/**
 * Cuts an index in the block style that helm writes. The charts are the lines between `entries:` and the next line without
 * indentation; a chart begins at each line that is indented like the first one and is no item of a list. An index in another
 * style is all head.
 */
const cut = (bytes: Buffer): Pieces => {
  const head: Buffer[] = [];
  const charts: { readonly start: number; end: number }[] = [];
  let indent: number | undefined;
  let isInEntries = false;
  for (const line of linesOf(bytes)) {
    const isOutside = line.isContent && line.indent === 0 && !line.isItem;
    if (isOutside) isInEntries = false;
    if (!isInEntries) head.push(bytes.subarray(line.start, line.end));
    else if (line.isContent) {
      indent ??= line.indent;
      const chart = charts.at(-1);
      if (!chart || (line.indent === indent && !line.isItem)) charts.push({ start: line.start, end: line.end });
      else chart.end = line.end;
    }
    if (isOutside)
      isInEntries = /^entries:\s*(?:#.*)?$/.test(
        bytes.toString('latin1', line.start, Math.min(line.end, line.start + 200)),
      );
  }
  return { head: Buffer.concat(head), charts: charts.map(({ start, end }) => bytes.subarray(start, end)) };
};

/** Whether an index of a tool ends within a line: they write the time or the hash of each file, and `generated` behind the charts. */
const isCut = (bytes: Buffer, charts: readonly Buffer[]): boolean =>
  bytes.at(-1) !== lineFeed && /^[ \t]+(?:created|digest):/m.test(charts.at(0)?.toString('latin1') ?? '');

const requireObject = (value: unknown): JsonObject => {
  if (isObject(value)) return value;
  throw malformed(`${label} must be a mapping.`);
};

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
};

/** The members of an index except its charts, and its charts one by one: parsed at once, 64 MB of YAML take a gigabyte. */
export interface ReadIndex {
  readonly head: JsonObject;
  readonly charts: () => Generator<readonly [name: string, versions: unknown]>;
}

/** Reads the index of an upstream, in YAML or in JSON. */
export const readIndexDocument = (bytes: Buffer): ReadIndex => {
  const json = parseJson(/^\s*\{/.test(bytes.toString('latin1', 0, 100)) ? bytes : Buffer.alloc(0));
  const { head: text, charts } = json === undefined ? cut(bytes) : { head: bytes, charts: [] };
  const head = requireObject(json ?? parseYaml(text, label));
  // What Kubernetes answers has an apiVersion, too.
  if (head.entries === undefined) throw malformed(`${label} must have the members apiVersion and entries.`);
  if (json === undefined && head.generated === undefined && isCut(bytes, charts))
    throw malformed(`${label} was cut: it ends within a line.`);
  return {
    head,
    charts: function* () {
      yield* Object.entries(isObject(head.entries) ? head.entries : {});
      for (const chart of charts) yield* Object.entries(requireObject(parseYaml(chart, label)));
    },
  };
};
