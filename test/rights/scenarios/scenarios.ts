import type { PackageType } from '../../../shared/package-types.ts';
import { cargoScenario } from './cargo.ts';
import { chocolateyScenario } from './chocolatey.ts';
import { composerScenario } from './composer.ts';
import { conanScenario } from './conan.ts';
import { debianScenario } from './debian.ts';
import { dockerScenario } from './docker.ts';
import { gemsScenario } from './gems.ts';
import { goScenario } from './go.ts';
import { helmScenario } from './helm.ts';
import { mavenScenario } from './maven.ts';
import { npmScenario } from './npm.ts';
import { nugetScenario } from './nuget.ts';
import { pypiScenario } from './pypi.ts';
import { rpmScenario } from './rpm.ts';
import type { RightsScenario } from './scenario.ts';
import { universalScenario } from './universal.ts';

/** One of each package type. */
export const scenarios: Readonly<Record<PackageType, RightsScenario>> = {
  cargo: cargoScenario,
  chocolatey: chocolateyScenario,
  composer: composerScenario,
  conan: conanScenario,
  debian: debianScenario,
  docker: dockerScenario,
  gems: gemsScenario,
  go: goScenario,
  helm: helmScenario,
  maven: mavenScenario,
  npm: npmScenario,
  nuget: nugetScenario,
  pypi: pypiScenario,
  rpm: rpmScenario,
  universal: universalScenario,
};
