import { config } from './config.ts';
import { ApiError } from './errors.ts';

/** Throws SERVICE_UNAVAILABLE with a sentence of its own while the service is read-only. */
export const refuseWhileReadOnly = (): void => {
  if (config.isReadOnly)
    throw new ApiError(
      'SERVICE_UNAVAILABLE',
      'The service accepts no changes for now, because an operator is restoring or moving its data. Nobody can sign in to the console meanwhile, and tokens go on to work for reads. Reading works. Try again later.',
    );
};
