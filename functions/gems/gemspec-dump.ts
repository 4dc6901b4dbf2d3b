import { deflateSync } from 'node:zlib';
import type { Dependency, Gemspec, Requirement } from './gemspec.ts';
import {
  hash,
  list,
  type Marshalled,
  madeOf,
  madeOfBytes,
  marshalDocument,
  nil,
  no,
  number,
  object,
  symbol,
  text,
  yes,
} from './marshal.ts';
import { platformOf } from './platforms.ts';

const textOrNil = (value: string | null): Marshalled => (value === null ? nil : text(value));

const texts = (values: readonly (string | null)[]): Marshalled => list(values.map(textOrNil));

/** A version as an object of RubyGems. */
export const versionObject = (version: string): Marshalled => madeOf('Gem::Version', list([text(version)]));

const requirement = (requirements: readonly Requirement[]): Marshalled =>
  madeOf(
    'Gem::Requirement',
    list([list(requirements.map(([operator, version]) => list([text(operator), versionObject(version)])))]),
  );

const dependency = ({ name, requirements, type, isPrerelease }: Dependency): Marshalled =>
  object('Gem::Dependency', {
    name: text(name),
    requirement: requirement(requirements),
    type: symbol(type),
    prerelease: isPrerelease ? yes : no,
    version_requirements: requirement(requirements),
  });

const platformObject = (platform: string | undefined): Marshalled => {
  if (platform === undefined) return text('ruby');
  const { cpu, os, version } = platformOf(platform);
  return object('Gem::Platform', { cpu: textOrNil(cpu), os: textOrNil(os), version: textOrNil(version) });
};

/** The fields in the order of `Gem::Specification#_dump`. */
const fieldsOf = (spec: Gemspec): Marshalled[] => [
  text(spec.rubygemsVersion),
  number(4),
  text(spec.name),
  versionObject(spec.version),
  text(spec.date),
  textOrNil(spec.summary),
  requirement(spec.requiredRubyVersion),
  requirement(spec.requiredRubygemsVersion),
  text(spec.platform ?? 'ruby'),
  list(spec.dependencies.map(dependency)),
  text(''),
  Array.isArray(spec.email) ? texts(spec.email) : textOrNil(spec.email as string | null),
  texts(spec.authors),
  textOrNil(spec.description),
  textOrNil(spec.homepage),
  yes,
  platformObject(spec.platform),
  texts(spec.licenses),
  hash(spec.metadata.map(([key, value]) => [text(key), text(value)])),
];

/**
 * The gemspec as clients read it before they install a gem. It is deflated without compression: a gem that comes back after its
 * deletion must have the same bytes, whichever machine makes them.
 */
export const dumpGemspec = (spec: Gemspec): Buffer => {
  const inner = marshalDocument(list(fieldsOf(spec)));
  return deflateSync(marshalDocument(madeOfBytes('Gem::Specification', inner)), { level: 0 });
};
