import { posix } from 'node:path';
import type { Violation } from '../../shared/errors.ts';
import { broken } from '../../shared/packages/formats/format-problem.ts';
import { type JsonObject, textsOf } from '../../shared/packages/formats/json-objects.ts';
import { installScripts, type Manifest, runsAtInstallation } from './manifest.ts';
import { unscopedOf } from './names.ts';

type Texts = Readonly<Record<string, string>>;

const textsIn = (value: unknown): Texts => Object.fromEntries(textsOf(value));

/** The addresses of repositories at the services that npm knows by name, in full and in short. */
const hosted = [
  /^(?:git\+)?(?:https|ssh|git):\/\/(?:git@)?(?<host>github|gitlab|bitbucket)\.(?:com|org)[/:](?<path>[\w.-]+\/[^/#]+?)(?:\.git)?(?<commit>#.*)?$/,
  /^(?:(?<host>github|gitlab|bitbucket):)?(?<path>[\w.-]+\/[^/#:]+?)(?:\.git)?(?<commit>#.*)?$/,
];

/** A requirement in one of the forms in which npm writes it. */
const requirement = (text: string): string => {
  const trimmed = text.trim();
  const found = hosted.map((pattern) => pattern.exec(trimmed)?.groups).find((groups) => groups !== undefined);
  return found ? `${found.host ?? 'github'}:${found.path}${found.commit ?? ''}` : trimmed;
};

const requirements = (...values: readonly unknown[]): Texts =>
  Object.fromEntries(values.flatMap((value) => textsOf(value).map(([name, text]) => [name, requirement(text)])));

const pathOf = (text: string): string => posix.join('/', text.replaceAll('\\', '/'));

/** The commands of a manifest, each with its file. */
const commandsIn = ({ name, bin }: Manifest): Texts => {
  if (typeof bin === 'string') return { [unscopedOf(name)]: pathOf(bin) };
  const named = Array.isArray(bin) ? bin.map((file): [string, unknown] => [String(file), file]) : [];
  const commands = Object.entries(Array.isArray(bin) ? textsIn(Object.fromEntries(named)) : textsIn(bin));
  return Object.fromEntries(commands.map(([command, file]) => [posix.basename(pathOf(command)), pathOf(file)]));
};

const installScriptsOf = ({ scripts }: JsonObject): Texts =>
  Object.fromEntries(
    textsOf(scripts).filter(([name, text]) => text !== '' && installScripts.some((each) => each === name)),
  );

/** npm adds this script where it finds a binding.gyp, and runs it without the script, too. */
const ofGyp = 'node-gyp rebuild';

const isSame = (sent: Texts, own: Texts): boolean => {
  const names = Object.keys(sent);
  return names.length === Object.keys(own).length && names.every((name) => sent[name] === own[name]);
};

/** What an installation acts on, in a form in which what npm writes is what package.json says. */
const facts: Readonly<Record<string, (manifest: Manifest) => Texts>> = {
  dependencies: ({ dependencies, optionalDependencies }) => requirements(dependencies, optionalDependencies),
  optionalDependencies: ({ optionalDependencies }) => requirements(optionalDependencies),
  peerDependencies: ({ peerDependencies }) => requirements(peerDependencies),
  bin: commandsIn,
  scripts: installScriptsOf,
};

const withoutGyp = (sent: Manifest, own: Manifest): Manifest => {
  const { install, ...scripts } = textsIn(sent.scripts);
  return install === ofGyp && textsIn(own.scripts).install === undefined ? { ...sent, scripts } : sent;
};

/**
 * The members of the manifest of a publication that package.json in its tarball contradicts. npm installs by the manifest, and who reads
 * the package sees the other one.
 */
export const differentMembers = (sent: Manifest, own: Manifest): Violation[] => {
  const wrong = Object.entries(facts)
    .filter(([, of]) => !isSame(of(withoutGyp(sent, own)), of(own)))
    .map(([member]) => member)
    // Of a folder of commands, npm lists the files.
    .filter((member) => member !== 'bin' || own.bin !== undefined || !textsIn(own.directories).bin);
  if (sent.hasInstallScript === false && runsAtInstallation(own)) wrong.push('hasInstallScript');
  const named = (['name', 'version'] as const).filter((member) => sent[member] !== own[member]);
  return [...named, ...wrong].map((member) =>
    broken(
      ['versions', sent.version, member],
      'tarball',
      `${member} in the manifest must be that of package.json in the tarball.`,
    ),
  );
};
