import { cargo } from './cargo.ts';
import { composer } from './composer.ts';
import { conan } from './conan.ts';
import { curl } from './curl.ts';
import { apt, dput } from './debian.ts';
import type { Driver } from './driver.ts';
import { bundler, gem } from './gems.ts';
import { go } from './go.ts';
import { helm } from './helm.ts';
import { leftOutOf } from './left-out.ts';
import { mavenDrivers } from './maven.ts';
import { npm } from './npm.ts';
import { nugetExe, nugetExeFeed } from './nuget-exe.ts';
import { nugetProtocol, nugetProtocolFeed } from './nuget-protocol.ts';
import { pip } from './pip.ts';
import { pnpm } from './pnpm.ts';
import { poetry } from './poetry.ts';
import { dnf, zypper } from './rpm.ts';
import { uv } from './uv.ts';
import { yarnBerry } from './yarn-berry.ts';
import { yarnClassic } from './yarn-classic.ts';

/** Every client that the tests drive. */
const all: readonly Driver[] = [
  npm,
  pnpm,
  yarnClassic,
  yarnBerry,
  cargo,
  composer,
  conan,
  gem,
  bundler,
  go,
  helm,
  pip,
  uv,
  poetry,
  ...mavenDrivers,
  nugetProtocol,
  nugetProtocolFeed,
  apt,
  dput,
  dnf,
  zypper,
  nugetExe,
  nugetExeFeed,
  curl,
];

/** Clients with cases of their own: those that download single files, and those of Python. */
const others = ['gradle', 'wget', 'aria2c', 'rclone', 'python3', 'java', 'hatch', 'pip-compile', 'dxf'] as const;

const leftOut = leftOutOf([...all.map(({ name }) => name), ...others]);

/** The clients to test: all but those that WITHOUT names, such as `WITHOUT=pnpm,curl`. */
export const drivers = all.filter(({ name }) => !leftOut.includes(name));

/** Whether WITHOUT leaves out a client with cases of its own. */
export const isLeftOut = (name: (typeof others)[number] | 'curl'): boolean => leftOut.includes(name);

/** `describe` for the cases of one client alone, of which WITHOUT leaves none. */
export const describeUnlessLeftOut = (name: string): jest.Describe =>
  drivers.some((driver) => driver.name === name) ? describe : describe.skip;
