import { options } from '../options.ts';
import { startProxpi } from './proxpi.ts';
import type { Service } from './server.ts';
import { startStockroom } from './stockroom.ts';
import { startVerdaccio } from './verdaccio.ts';

/** The service whose installations have to succeed. */
export const stockroom: Service = { name: 'Stockroom', start: startStockroom };

/** The services to measure. */
export const services: readonly Service[] = options.chosen('INSTALL_SERVICES', [
  stockroom,
  { name: 'Verdaccio', start: startVerdaccio },
  { name: 'proxpi', start: startProxpi },
]);
