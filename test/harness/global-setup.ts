import { typeFacts } from '../../infra/api/built-types.ts';
import { synthesise, variablesOf } from './assembly.ts';
import { hashPasswords } from './credentials.ts';

/** What a service of the tests needs, once for a whole run; the variables reach the processes that are started afterwards. */
const prepareService = async (): Promise<void> => {
  const assemblies = await synthesise();
  Object.assign(process.env, variablesOf(assemblies));
  // What the build writes into each bundle, for what tests call of shared/ in their own process.
  process.env.STOCKROOM_PACKAGE_TYPES = typeFacts();
  // Each suite starts its functions anew, in threads. Most of the time of a start, Node compiles what it compiled before.
  process.env.NODE_COMPILE_CACHE = `${assemblies}.compiled`;
  await hashPasswords(`${assemblies}.passwords.json`);
  // What tests call of shared/ in their own process logs nothing. Functions have variables of their own.
  process.env.LOG_SILENT = 'true';
};

export default prepareService;
