import { ApiError } from '../../shared/errors.ts';
import { requireOneFile } from '../../shared/packages/formats/one-file.ts';
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
    const provenance = announcement.files.find(isProvenance);
    requireOneFile(
      announcement.files.filter((file) => file !== provenance),
      {
        of: 'a chart',
        ending: '.tgz',
        make: 'make it with helm package, and send its .prov beside it if it is signed',
        bytesMax: archiveBytesMax,
      },
    );
  },
  read: async (_announcement, files) => {
    const chart = files.find((file) => !isProvenance(file));
    if (!chart) throw new ApiError('PACKAGE_INVALID');
    return chartContent(chart.received, files.find(isProvenance)?.received);
  },
};
