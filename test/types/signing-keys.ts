import { readAssembly } from '../../infra/local/assembly.ts';
import { signingKeysVariable } from '../../shared/config.ts';
import { assemblyDirectory } from '../harness/assembly.ts';

/** The words for keys before, during and after a rotation: one key of KMS, which is another key of OpenPGP from another second on. */
export const rotationOfKeys = () => {
  const words = readAssembly(assemblyDirectory()).functions.map(({ environment }) => environment[signingKeysVariable]);
  const [arn = ''] = words.find((each) => each !== undefined)?.split(' ') ?? [];
  const [one, two] = [`${arn} 1767225600`, `${arn} 1790000000`];
  return { before: one, during: `${one},${two}`, after: two } as const;
};
