/** Lets a file be loaded once in each process of jest, instead of once in each suite: for libraries that take long to load. */
export default {
  process: (_source: string, path: string): { readonly code: string } => ({
    code: `module.exports = loadOnce(${JSON.stringify(path)});`,
  }),
};
