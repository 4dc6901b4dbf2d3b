import { typeFacts } from '../../infra/api/built-types.ts';

/** In place of the setup that synthesises the stack: who plants a bug names what is built. */
export default (): void => {
  process.env.STOCKROOM_PACKAGE_TYPES = typeFacts();
};
