export { nupkgFormat as nugetFormat } from '../../shared/packages/nupkg/format.ts';
