import { ApiError } from '../../shared/errors.ts';
import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';

const refusal = (): ApiError =>
  new ApiError(
    'PACKAGE_INVALID',
    'An image consists of a manifest and blobs, which only a client of registries can send: push it with docker, podman, crane, oras or helm.',
  );

/** Images come only from clients of registries. */
export const dockerFormat: PackageFormat = {
  check: () => {
    throw refusal();
  },
  read: async () => {
    throw refusal();
  },
};
