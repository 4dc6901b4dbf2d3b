import { synthesise } from './assembly.ts';

/** Once for the whole run; the variables reach the workers that jest starts afterwards. */
export default async (): Promise<void> => {
  process.env.STOCKROOM_ASSEMBLY = await synthesise();
  // What tests call of shared/ in their own process logs nothing. Functions have variables of their own.
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
};
