import { synthesise } from './assembly.ts';
import { hashPasswords } from './passwords.ts';

/** What a service of the tests needs; the variables reach the processes that are started afterwards. */
export const prepareService = async (): Promise<void> => {
  const assembly = await synthesise();
  process.env.STOCKROOM_ASSEMBLY = assembly;
  // Each suite starts its functions anew, in threads. Most of the time of a start, Node compiles what it compiled before.
  process.env.NODE_COMPILE_CACHE = `${assembly}.compiled`;
  await hashPasswords(`${assembly}.passwords.json`);
  // What tests call of shared/ in their own process logs nothing. Functions have variables of their own.
  process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
};

/** Once for the whole run of jest. */
export default async (): Promise<void> => {
  process.env.STOCKROOM_DOOR_ASSEMBLY = await synthesise(undefined, 'local');
  await prepareService();
};
