/**
 * Lets a file be loaded once in each process of jest, instead of once in each suite: for libraries that take long to load, and for
 * what must run beside them. package.json names them. `loadOnce` is a global of the environment of the tests.
 */
export default {
  process: (_source: string, path: string): { readonly code: string } => ({
    code: `module.exports = loadOnce(${JSON.stringify(path)});`,
  }),
};
