import { ApiError } from '../../shared/errors.ts';
import { decodeSegments } from '../../shared/packages/sources/path-segments.ts';
import { type DebianPlace, isPlace, placeRule } from './names.ts';

/** What a client says of a file that it publishes by its path. */
export interface PublishedPath extends DebianPlace {
  readonly file: string;
  /** The architecture that the path names, if it does. */
  readonly architecture: string | undefined;
}

/** The file is a package, or one that dput sends beside packages. */
const isPublished = (file: string): boolean => /\.(?:deb|changes|buildinfo)$/.test(file);

const ways =
  'The path of a package is pool/{distribution}/{component}/upload, pool/{distribution}/{component}/{file}.deb or {file}.deb;deb.distribution={distribution};deb.component={component};deb.architecture={architecture}';

const noPath = (): ApiError => new ApiError('FILE_NOT_FOUND', `${ways}, where ${placeRule}.`);

/** The properties behind the semicolons of a path. Throws PACKAGE_INVALID for one that is no text of one value. */
const propertiesOf = (texts: readonly string[]): ReadonlyMap<string, string> => {
  const properties = texts.map((text) => {
    const [, name, value] = /^deb\.(distribution|component|architecture)=([^,;=]+)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new ApiError(
        'PACKAGE_INVALID',
        `'${text}' in the path is none of deb.distribution, deb.component and deb.architecture with one value: a package that is in several distributions is sent to each of them.`,
      );
    return [name, value] as const;
  });
  if (new Map(properties).size < properties.length)
    throw new ApiError('PACKAGE_INVALID', 'The path names a property twice: send the package once for each value.');
  return new Map(properties);
};

const byProperties = (last: string): PublishedPath => {
  const [file = '', ...texts] = last.split(';');
  const properties = propertiesOf(texts);
  const [distribution = '', component = ''] = ['distribution', 'component'].map((name) => properties.get(name));
  if (!file.endsWith('.deb') || !isPlace({ distribution, component })) throw noPath();
  return { file, distribution, component, architecture: properties.get('architecture') };
};

/** Parses the tail of a path to which a client publishes. Throws FILE_NOT_FOUND and PACKAGE_INVALID. */
export const publishedPath = (rawTail: string): PublishedPath => {
  const segments = decodeSegments(rawTail) ?? [];
  const last = segments.at(-1) ?? '';
  if (last.includes(';')) return byProperties(last);
  const [pool, distribution = '', component = '', file = '', ...others] = segments;
  const isFile = file === 'upload' || isPublished(file);
  if (pool !== 'pool' || !isFile || others.length > 0 || !isPlace({ distribution, component })) throw noPath();
  return { file, distribution, component, architecture: undefined };
};
