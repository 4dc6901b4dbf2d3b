import type { Contract } from '../http/contract.ts';
import type { Json } from '../http/documenter.ts';

const shapeOf = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');
const parametersOf = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

/**
 * The links of a creation (OpenAPI 3.1, Link Object). They lead to the operation that answers GET at the Location, with
 * fields of the body as its parameters.
 */
export const linksTo = (location: string, endpoints: readonly Contract[]): Json => {
  const reader = endpoints.find(({ method, path }) => method === 'GET' && shapeOf(path) === shapeOf(location));
  if (!reader) throw new Error(`No endpoint answers GET ${location}: add one, or leave the location out.`);
  const fields = parametersOf(location);
  const parameters = parametersOf(reader.path).map((name, index) => [name, `$response.body#/${fields[index]}`]);
  const [, name = reader.id] = reader.id.split('/');
  return { [name]: { operationId: reader.id, parameters: Object.fromEntries(parameters) } };
};
