import { needApi } from '../pass-on.ts';

/** The client of KMS in the bundle of the front: the API alone may decrypt and sign. */
export const callKms = async (): Promise<never> => needApi();
