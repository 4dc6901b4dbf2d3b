import type { Violation } from '../../shared/errors.ts';
import { broken } from '../../shared/packages/formats/format-problem.ts';
import { normalVersion } from './versions.ts';

// What tools refuse to read in the metadata of a distribution, and with it all of the project. As `packaging` 22 and newer, and the public
// index, but for the names of variables in markers: later tools may know others.

/** Versions of which `.*` may be the end. */
const releaseOnly = /^v?(?:\d+!)?\d+(?:\.\d+)*$/i;

const isComparedVersion = (operator: string, version: string): boolean => {
  if (operator === '===') return /^[^\s;)]+$/.test(version);
  const isEquality = operator === '==' || operator === '!=';
  if (isEquality && version.endsWith('.*')) return releaseOnly.test(version.slice(0, -2));
  const normal = normalVersion(version);
  if (normal === undefined || (normal.includes('+') && !isEquality)) return false;
  // `~=1` would say nothing.
  return operator !== '~=' || /^(?:\d+!)?\d+\./.test(normal);
};

/** Whether a text is one version specifier, such as `>=1.0` (PEP 440). */
const isSpecifier = (text: string): boolean => {
  const [operator] = /^(?:===?|[~!<>]=|[<>])/.exec(text) ?? [];
  return operator !== undefined && isComparedVersion(operator, text.slice(operator.length).trim());
};

const partsOf = (list: string): readonly string[] => list.split(',').map((part) => part.trim());

/** Whether a text is a set of version specifiers. Old tools left commas at its end. */
export const isSpecifierSet = (text: string): boolean =>
  partsOf(text).every((part) => part === '' || isSpecifier(part));

/** The parts of a marker, such as `python_version < "3" and (extra == 'x')`. */
const markerPart =
  /\s*(?:(?<join>(?:and|or)\b)|(?<compare>===?|[~!<>]=|[<>]|in\b|not\s+in\b)|(?<operand>'[^']*'|"[^"]*"|[a-z_][\w.]*)|(?<open>\()|(?<close>\)))/iy;

/** What may follow in a marker, and where it leads. */
const markerSteps: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  begin: { open: 'begin', operand: 'left' },
  left: { compare: 'compared' },
  compared: { operand: 'whole' },
  whole: { join: 'begin', close: 'whole' },
};

const isMarker = (text: string): boolean => {
  const parts = new RegExp(markerPart);
  let [step, depth] = ['begin', 0];
  while (parts.lastIndex < text.length) {
    const groups = parts.exec(text)?.groups ?? {};
    const kind = Object.keys(groups).find((each) => groups[each] !== undefined) ?? '';
    const next = markerSteps[step]?.[kind];
    depth += Number(kind === 'open') - Number(kind === 'close');
    if (next === undefined || depth < 0) return false;
    step = next;
  }
  return step === 'whole' && depth === 0;
};

/** The rest of a requirement behind its versions or its URL: nothing, or a marker behind a semicolon. */
const isMarkerAtEnd = (text: string): boolean =>
  text === '' || (text.startsWith(';') && isMarker(text.slice(1).trim()));

const isIdentifier = (text: string): boolean => /^[a-z\d](?:[\w.-]*\w)?$/i.test(text);

/** The versions of a requirement, which may be in parentheses. Only the last one may have a comma behind it. */
const areVersions = (text: string): boolean => {
  const list = text.startsWith('(') && text.endsWith(')') ? text.slice(1, -1).trim() : text;
  const parts = partsOf(list);
  return list === '' || (isSpecifier(parts[0] ?? '') && parts.slice(0, -1).every(isSpecifier) && isSpecifierSet(list));
};

/** Whether a text is the requirement of a package (PEP 508): a name, extras, versions or a URL, and a marker. */
export const isRequirement = (text: string): boolean => {
  const [name] = /^[a-z\d](?:[\w.-]*\w)?/i.exec(text) ?? [];
  if (name === undefined) return false;
  const behindName = text.slice(name.length).trimStart();
  const [extras, listed] = /^\[([^\]]*)\]/.exec(behindName) ?? ['', ''];
  if (listed?.trim() && !partsOf(listed).every(isIdentifier)) return false;
  const rest = behindName.slice(extras.length).trim();
  if (rest.startsWith('@')) {
    const [url] = /^@\s*[^\s]+/.exec(rest) ?? [];
    return url !== undefined && isMarkerAtEnd(rest.slice(url.length).trim());
  }
  const end = rest.indexOf(';');
  const versions = end === -1 ? rest : rest.slice(0, end);
  return areVersions(versions.trim()) && isMarkerAtEnd(rest.slice(versions.length));
};

/** What the metadata of a distribution says that it needs. */
export interface Requirements {
  readonly requiresPython?: string;
  readonly requiresDist: readonly string[];
}

const shownMax = 100;

/** The requirements that tools could not read. A label names their source. */
export const requirementViolations = (
  { requiresPython, requiresDist }: Requirements,
  label: string,
): readonly Violation[] => {
  const violation = (field: string, value: string, rule: string) =>
    broken(
      [field.toLowerCase().replace('-', '_')],
      'requirement',
      `${field} in ${label} must be ${rule}: '${value.slice(0, shownMax)}' is not.`,
    );
  const wrong = requiresDist.find((each) => !isRequirement(each));
  // Old tools wrote UNKNOWN for what they did not know.
  const isKnown = requiresPython !== undefined && requiresPython !== 'UNKNOWN';
  return [
    ...(isKnown && !isSpecifierSet(requiresPython)
      ? [violation('Requires-Python', requiresPython, "version specifiers of PEP 440, such as '>=3.9'")]
      : []),
    ...(wrong === undefined
      ? []
      : [
          violation(
            'Requires-Dist',
            wrong,
            `a requirement of PEP 508, such as 'requests>=2.8; python_version < "3.9"'`,
          ),
        ]),
  ];
};
