/** In place of the setup that synthesises the stack: who plants a bug names what is built. */
export default (): void => {};
