import { endpoints } from '../../functions/endpoints.ts';
import { packageTypes } from '../../shared/package-types.ts';

/** The word for all endpoints about packages: those of each package type, and the management of packages. */
const dataPlane = 'packages';

const folders: ReadonlySet<string | undefined> = new Set([...packageTypes, 'packages']);

/** The endpoints whose IDs contain one of the texts; without a text, all of them. */
export const endpointsNamed = (texts: readonly string[]): typeof endpoints => {
  if (texts.length === 0) return endpoints;
  const parts = texts.filter((text) => text !== dataPlane);
  return endpoints.filter(({ id }) => {
    const [folder] = id.split('/');
    return (texts.includes(dataPlane) && folders.has(folder)) || parts.some((part) => id.includes(part));
  });
};
