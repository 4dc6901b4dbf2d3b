/** The platform of a gem in parts, each null if it has none. */
export interface Platform {
  readonly cpu: string | null;
  readonly os: string | null;
  readonly version: string | null;
}

/** The systems whose names may have a version behind them, and how RubyGems finds both (Gem::Platform#initialize). */
const systems: readonly (readonly [pattern: RegExp, os: string | undefined])[] = [
  [/aix(\d+)?/, 'aix'],
  [/cygwin/, 'cygwin'],
  [/darwin(\d+)?/, 'darwin'],
  [/^macruby$/, 'macruby'],
  [/freebsd(\d+)?/, 'freebsd'],
  [/hpux(\d+)?/, 'hpux'],
  [/^java$|^jruby$/, 'java'],
  [/^java([\d.]*)/, 'java'],
  [/^dalvik(\d+)?$/, 'dalvik'],
  [/^dotnet$/, 'dotnet'],
  [/^dotnet([\d.]*)/, 'dotnet'],
  [/linux-?(\w+)?/, 'linux'],
  [/mingw32/, 'mingw32'],
  [/mingw-?(\w+)?/, 'mingw'],
  [/(mswin\d+)(?:_(\d+))?/, undefined],
  [/netbsdelf/, 'netbsdelf'],
  [/openbsd(\d+\.\d+)?/, 'openbsd'],
  [/solaris(\d+\.\d+)?/, 'solaris'],
  [/wasi/, 'wasi'],
  [/^(\w+_platform)(\d+)?/, undefined],
];

const systemOf = (text: string): Pick<Platform, 'os' | 'version'> => {
  for (const [pattern, os] of systems) {
    const found = pattern.exec(text);
    if (!found) continue;
    const [, first = null, second = null] = found;
    return os === undefined ? { os: first, version: second } : { os, version: first };
  }
  return { os: 'unknown', version: null };
};

/** Reads a platform as RubyGems does, such as `x86_64-linux-musl`, `arm64-darwin-22` or `java`. */
export const platformOf = (text: string): Platform => {
  const parts = text.split('-');
  const last = parts.at(-1) ?? '';
  if (parts.length > 2 && !/\d$/.test(last)) parts.splice(-2, 2, `${parts.at(-2)}-${last}`);
  const [first = '', second, third] = parts;
  const cpu = /i\d86/.test(first) ? 'x86' : first;
  if (third === undefined && second === undefined) {
    const system = systemOf(first);
    return { cpu: system.os?.startsWith('mswin') && system.os.endsWith('32') ? 'x86' : null, ...system };
  }
  if (third !== undefined && /^\d+(?:\.\d+)?$/.test(third)) return { cpu, os: second ?? null, version: third };
  return { cpu, ...systemOf(second ?? '') };
};

/** The text of a platform, as it stands in the names of files. */
export const platformText = ({ cpu, os, version }: Platform): string =>
  [cpu, os, version].filter((part) => part !== null).join('-');

/** Whether a text can be a platform in the name of a file. */
export const isPlatform = (text: string): boolean => /^[A-Za-z]\w*(?:[.-]\w+)*$/.test(text) && text.length <= 60;

/**
 * Whether a platform ends with the version of a system, such as `x86_64-darwin-22` or `java-1.8`. Those of systems that RubyGems does not know, such
 * as Rubinius, are `universal`.
 */
export const hasSystemVersion = (text: string): boolean => {
  const [, system = ''] = /^(?:\w+-)?([A-Za-z]\w*)-\d+(?:\.\d+)*$/.exec(text) ?? [];
  return system !== '' && (/^universal-\D/.test(text) || systemOf(system).os !== 'unknown');
};
