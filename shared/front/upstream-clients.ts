import { needApi } from '../pass-on.ts';

/** The clients of upstreams in the bundle of the front: the API alone asks them, and may decrypt their passwords. */
export const upstreamClientOf = needApi;
export const secretsOf = async (): Promise<never> => needApi();
