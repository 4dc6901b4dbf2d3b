import { ApiError } from '../../errors.ts';
import { refusingAsync } from '../formats/format-refusals.ts';
import { type PackageFormat, refuseVersion } from '../formats/package-format.ts';
import { archiveBytesMax } from '../formats/tar-archive.ts';
import { packageContent } from './package-content.ts';
import { readmeOfPackage } from './readme.ts';

const isPackage = ({ name }: { readonly name: string }): boolean => /\.nupkg$/i.test(name);
const isSymbols = ({ name }: { readonly name: string }): boolean => /\.snupkg$/i.test(name);

/** A package from `dotnet pack` or `choco pack`, and the one with its symbols beside it. All that an index says of it comes from its nuspec. */
export const nupkgFormat: PackageFormat = {
  readme: [{ file: /\.nupkg$/i, read: readmeOfPackage }],
  check: (announcement) => {
    refuseVersion(announcement);
    const { files } = announcement;
    const [packages, symbols] = [files.filter(isPackage), files.filter(isSymbols)];
    if (packages.length !== 1 || symbols.length > 1 || packages.length + symbols.length < files.length)
      throw new ApiError(
        'PACKAGE_INVALID',
        'A version is one file that ends in .nupkg, and at most one that ends in .snupkg: make them with dotnet pack or choco pack.',
      );
    if (files.some(({ size }) => size > archiveBytesMax))
      throw new ApiError('PACKAGE_INVALID', `A package must have at most ${archiveBytesMax} bytes.`);
  },
  read: async (_announcement, files) => {
    const found = files.find(isPackage);
    if (!found) throw new ApiError('PACKAGE_INVALID');
    return refusingAsync(async () => packageContent(found.received, files.find(isSymbols)?.received));
  },
};
