import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import type { Header } from 'tar-stream';
import { broken, malformed, requireValidFormat } from '../../shared/packages/formats/format-problem.ts';
import { readGzippedTar } from '../../shared/packages/formats/tar-archive.ts';
import { parseYaml } from '../../shared/packages/formats/yaml.ts';
import { type Metadata, readMetadata, withoutIndexFields } from './metadata.ts';
import { hasFileNames, isChartName } from './paths.ts';
import { isFullVersion } from './versions.ts';

const chartYamlBytesMax = 1024 * 1024;

/** The path of an entry as helm understands it. On Windows, a backslash separates folders. */
const pathOf = (name: string): string => posix.normalize(name.replaceAll('\\', '/'));

/** Finds Chart.yaml among the entries of an archive. */
class Listing {
  folder = '';
  chartYaml: Buffer[] | undefined;

  /** Returns where the bytes of an entry go if they are kept. */
  visit({ name, type, size }: Header): Buffer[] | undefined {
    const path = pathOf(name);
    if (path.startsWith('../') || path.startsWith('/'))
      throw malformed('The chart must not have files outside its folder.');
    const [folder = '', file, ...more] = path.split('/');
    const isFile = type === 'file' || type === 'contiguous-file';
    if (!isFile || file !== 'Chart.yaml' || more.length > 0) return undefined;
    // helm would take the last one.
    if (this.chartYaml) throw malformed('The chart must have one Chart.yaml in its folder, and has several.');
    if (size > chartYamlBytesMax) throw malformed(`Chart.yaml must have at most ${chartYamlBytesMax} bytes.`);
    this.folder = folder;
    this.chartYaml = [];
    return this.chartYaml;
  }
}

const checkNames = ({ name, version }: Metadata, folder: string): void => {
  const violations = [];
  if (!isChartName(name))
    violations.push(
      broken(['name'], 'name', "The name of a chart must consist of letters, digits, '-', '.' and '_', at most 250."),
    );
  else if (name !== folder)
    violations.push(
      broken(['name'], 'folder', `The chart '${name}' must be in a folder of this name, as helm package makes it.`),
    );
  if (!isFullVersion(version))
    violations.push(
      broken(
        ['version'],
        'semver',
        'The version of a chart must be one of SemVer 2, such as 1.0.0 or v1.0.0-rc.1+build.',
      ),
    );
  else if (isChartName(name) && !hasFileNames(name, version))
    violations.push(broken(['version'], 'length', 'Name and version must have at most 245 characters together.'));
  requireValidFormat(violations);
};

/** Reads the metadata of a chart from the archive that `helm package` makes, to its end. Nothing is extracted. */
export const readChart = async (source: Readable): Promise<Metadata> => {
  const listing = new Listing();
  await readGzippedTar(source, { word: 'chart', visit: (header) => listing.visit(header) });
  if (!listing.chartYaml) throw malformed('The chart must have a Chart.yaml in its folder.');
  const metadata = readMetadata(parseYaml(Buffer.concat(listing.chartYaml), 'Chart.yaml'));
  checkNames(metadata, listing.folder);
  return withoutIndexFields(metadata);
};
