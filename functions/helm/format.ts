import { ApiError } from '../../shared/errors.ts';
import type { PackageFormat } from '../../shared/packages/formats/package-format.ts';
import { refuseVersion } from '../../shared/packages/formats/package-format.ts';
import { readmeInTar } from '../../shared/packages/formats/readme.ts';
import { archiveBytesMax } from '../../shared/packages/formats/tar-archive.ts';
import { chartContent } from './chart-content.ts';

const isProvenance = ({ name }: { readonly name: string }): boolean => name.endsWith('.prov');

/** A chart from `helm package`, and its provenance file if it is signed. Name and version come from its Chart.yaml. */
export const helmFormat: PackageFormat = {
  readme: [{ file: /\.tgz$/, read: readmeInTar('chart') }],
  check: (announcement) => {
    refuseVersion(announcement);
    const charts = announcement.files.filter((file) => !isProvenance(file));
    const [chart] = charts;
    if (!chart?.name.endsWith('.tgz') || charts.length > 1 || announcement.files.length > 2)
      throw new ApiError(
        'PACKAGE_INVALID',
        'A version of a chart is one file that ends in .tgz, and a second one that ends in .prov if it is signed: make them with helm package.',
      );
    if (chart.size > archiveBytesMax)
      throw new ApiError('PACKAGE_INVALID', `A chart must have at most ${archiveBytesMax} bytes.`);
  },
  read: async (_announcement, files) => {
    const chart = files.find((file) => !isProvenance(file));
    if (!chart) throw new ApiError('PACKAGE_INVALID');
    return chartContent(chart.received, files.find(isProvenance)?.received);
  },
};
