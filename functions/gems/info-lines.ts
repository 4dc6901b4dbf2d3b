import { readVersionText, versionKey, versionText } from './full-names.ts';
import type { Dependency, Gemspec, Requirement } from './gemspec.ts';
import { compareVersions } from './versions.ts';

/** A version in the compact index (guides.rubygems.org/rubygems-org-compact-index-api). */
export interface InfoLine {
  /** The key of the version in its package. */
  readonly key: string;
  /** The version with its platform, as the gem spells it. */
  readonly version: string;
  /** The whole line, which begins with the version. */
  readonly text: string;
}

const requirementText = (requirements: readonly Requirement[]): string =>
  requirements.map((requirement) => requirement.join(' ')).join('&');

const dependencyText = ({ name, requirements }: Dependency): string => `${name}:${requirementText(requirements)}`;

/** What a version needs of Ruby or of RubyGems; nothing if every version will do. */
const need = (of: string, requirements: readonly Requirement[]): readonly string[] => {
  const text = requirementText(requirements);
  return text === '>= 0' || text === '' ? [] : [`${of}:${text}`];
};

const byName = (one: Dependency, other: Dependency): number => (one.name < other.name ? -1 : 1);

/** The line of a version that has this gemspec and a file with this hash. */
export const infoText = (spec: Gemspec, sha256: string): string => {
  const dependencies = spec.dependencies.filter(({ type }) => type === 'runtime').toSorted(byName);
  const needs = [...need('ruby', spec.requiredRubyVersion), ...need('rubygems', spec.requiredRubygemsVersion)];
  const facts = [`checksum:${sha256}`, ...needs].join();
  return `${versionText(spec)} ${dependencies.map(dependencyText).join()}|${facts}`;
};

/** Reads a line; undefined if it is that of no version. */
export const readInfoLine = (text: string): InfoLine | undefined => {
  const [version = ''] = text.split(' ', 1);
  const read = readVersionText(version);
  return read && { key: versionKey(read), version, text };
};

/** The SHA-256 that a line promises of its gem. */
export const checksumIn = ({ text }: InfoLine): string | undefined =>
  /[|,]checksum:([0-9a-f]{64})(?:,|$)/.exec(text)?.[1];

/** The time that a line says of its publication, as text; undefined if its source says none. */
export const createdAt = ({ text }: InfoLine): string | undefined => /[|,]created_at:([^,]+)(?:,|$)/.exec(text)?.[1];

const byVersion = (one: InfoLine, other: InfoLine): number => {
  const [oldest, newest] = [one.version.split('-', 1)[0] ?? '', other.version.split('-', 1)[0] ?? ''];
  return compareVersions(oldest, newest) || (one.version < other.version ? -1 : 1);
};

/** The document of a gem: its versions, the oldest first. Each version comes from the first source that has it. */
export const renderInfo = (sources: readonly (readonly InfoLine[])[]): string => {
  const lines = new Map<string, InfoLine>();
  for (const line of sources.flat()) if (!lines.has(line.key)) lines.set(line.key, line);
  return `---\n${[...lines.values()]
    .toSorted(byVersion)
    .map(({ text }) => `${text}\n`)
    .join('')}`;
};
