import { synthesise } from './assembly.ts';

/** Once for the whole run; the variable reaches the workers that jest starts afterwards. */
export default async (): Promise<void> => {
  process.env.STOCKROOM_ASSEMBLY = await synthesise();
};
