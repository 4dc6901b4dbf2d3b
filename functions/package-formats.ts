import { ApiError } from '../shared/errors.ts';
import type { PackageType } from '../shared/package-types.ts';
import type { PackageFormat } from '../shared/packages/formats/package-format.ts';
import { cargoFormat } from './cargo/format.ts';
import { dockerFormat } from './docker/format.ts';
import { goFormat } from './go/format.ts';
import { helmFormat } from './helm/format.ts';
import { mavenFormat } from './maven/format.ts';
import { npmFormat } from './npm/format.ts';
import { pypiFormat } from './pypi/format.ts';
import { universalFormat } from './universal/format.ts';

/** The package types whose files can be published without a client of theirs: one line for each. */
const formats: Readonly<Partial<Record<PackageType, PackageFormat>>> = {
  go: goFormat,
  cargo: cargoFormat,
  docker: dockerFormat,
  maven: mavenFormat,
  helm: helmFormat,
  npm: npmFormat,
  pypi: pypiFormat,
  universal: universalFormat,
};

/** The format of a package type. */
export const formatOf = (packageType: PackageType): PackageFormat => {
  const format = formats[packageType];
  if (!format)
    throw new ApiError(
      'PACKAGE_INVALID',
      `Packages of the type ${packageType} cannot be published to this service yet.`,
    );
  return format;
};
