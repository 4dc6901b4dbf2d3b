import { malformed } from '../../shared/packages/formats/format-problem.ts';

/** A field of a paragraph, with its whole text: the lines that continue it begin with a blank or a tab. */
export interface Field {
  readonly name: string;
  /** The text behind the colon, without blanks at its ends. */
  readonly value: string;
  /** Its lines as they stand, without an end of the last one. */
  readonly lines: string;
}

/** A line without the white space at its end. */
const withoutEnd = (line: string): string => {
  let end = line.length;
  while (end > 0 && ' \t\r'.includes(line[end - 1] ?? '')) end -= 1;
  return line.slice(0, end);
};

/** Field names are of printable characters without a colon, and begin neither as a comment nor with a hyphen. */
const fieldStart = /^([!"$-,.-9;-~][!-9;-~]*):(.*)$/s;

const noField = (line: string): string =>
  `The file control of the package has a line that is no field: ${JSON.stringify(line.slice(0, 80))}. A line is \`Name: text\`, or goes on with a field and begins with a blank.`;

/** The fields of a paragraph, or what is wrong with it as a sentence. */
const fieldsOrProblem = (text: string): readonly Field[] | string => {
  const lines = text.split('\n').map(withoutEnd);
  const start = lines.findIndex((line) => line !== '');
  const end = lines.findLastIndex((line) => line !== '');
  const fields = new Map<string, { name: string; lines: string[] }>();
  let current: { name: string; lines: string[] } | undefined;
  for (const line of start < 0 ? [] : lines.slice(start, end + 1)) {
    if (line.includes('\0')) return noField(line);
    if (/^[ \t]/.test(line)) {
      if (!current) return noField(line);
      current.lines.push(line);
      continue;
    }
    const [, name] = fieldStart.exec(line) ?? [];
    if (name === undefined) return noField(line);
    if (fields.has(name.toLowerCase()))
      return `The file control of the package has the field ${name} twice: leave one of them.`;
    current = { name, lines: [line] };
    fields.set(name.toLowerCase(), current);
  }
  return Array.from(fields.values(), ({ name, lines: of }) => {
    const whole = of.join('\n');
    return { name, value: whole.slice(name.length + 1).trim(), lines: whole };
  });
};

/**
 * The fields of a text of one paragraph, as the file `control` of a package is (deb822(5)). Throws a FormatProblem if a field is there
 * twice, or if another paragraph follows.
 */
export const readParagraph = (text: string): readonly Field[] => {
  const read = fieldsOrProblem(text);
  if (typeof read === 'string') throw malformed(read);
  return read;
};

/** The maximum length of a paragraph in a list of an upstream. */
const listedLengthMax = 1_000_000;

/**
 * The paragraphs in a list of packages, one after the other. What readers could take for other fields than these is left out: a field that
 * is there twice in any case, a line that is none, and a character that one of them takes for the end of a line.
 */
export function* paragraphsIn(list: string): Generator<readonly Field[]> {
  for (const text of list.split(/\n[ \t\r]*\n/)) {
    const read = text.length > listedLengthMax ? '' : fieldsOrProblem(text);
    if (typeof read !== 'string' && !read.some(({ lines }) => unclear.test(lines))) yield read;
  }
}

/** Control characters but for those that fields of several lines have. */
const unclear = /[^\P{Cc}\t\n]/u;

/** The value of a field, whose name has any case; undefined if it is absent. */
export const fieldOf = (fields: readonly Field[], name: string): string | undefined =>
  fields.find((field) => field.name.toLowerCase() === name.toLowerCase())?.value;
