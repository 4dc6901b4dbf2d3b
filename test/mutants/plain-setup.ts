/** In place of the setup that synthesises the stack, for suites that look at sources alone. */
export default (): void => {
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
};
