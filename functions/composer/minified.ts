import { malformed } from '../../shared/packages/formats/format-problem.ts';
import { isObject, type JsonObject } from '../../shared/packages/formats/json-objects.ts';

/** The value of a member that the version before has, and this one has not. */
const unset = '__unset';

/** The name of the form in which each version has what differs from the one before. */
export const minifiedForm = 'composer/2.0';

/** The versions of a document, each whole. In a minified document, each has only what differs from the one before. */
export const expandedVersions = (versions: readonly unknown[], isMinified: boolean): readonly JsonObject[] => {
  let last: JsonObject = {};
  return versions.map((each) => {
    // PHP writes an object without members as a list.
    const given = Array.isArray(each) && each.length === 0 ? {} : each;
    if (!isObject(given)) throw malformed('A version in the document of the upstream is no object.');
    if (!isMinified) return given;
    const members = Object.entries({ ...last, ...given }).filter(([, value]) => value !== unset);
    last = Object.fromEntries(members);
    return last;
  });
};

/** A member of the version before: its value, and its text once that was needed. */
interface Member {
  readonly value: unknown;
  readonly text: string;
}

const memberText = (name: string, text: string): string => `${JSON.stringify(name)}:${text}`;

/** The text of a minified list of versions. What two versions share by reference is not compared as text. */
export const minifiedText = (versions: readonly JsonObject[]): string => {
  let last: ReadonlyMap<string, Member> = new Map();
  const texts = versions.map((version) => {
    const members = new Map<string, Member>();
    const given: string[] = [];
    for (const [name, value] of Object.entries(version)) {
      if (value === undefined) continue;
      const before = last.get(name);
      const member = before?.value === value ? before : { value, text: JSON.stringify(value) };
      members.set(name, member);
      if (member.text !== before?.text) given.push(memberText(name, member.text));
    }
    const gone = [...last.keys()].filter((name) => !members.has(name));
    last = members;
    return `{${[...given, ...gone.map((name) => memberText(name, JSON.stringify(unset)))].join()}}`;
  });
  return `[${texts.join()}]`;
};
