export { nupkgFormat as chocolateyFormat } from '../../shared/packages/nupkg/format.ts';
