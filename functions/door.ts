import { Door } from '../shared/door/server.ts';
import { doorSettings } from '../shared/door-settings.ts';

const open = async (): Promise<Door> => {
  const opened = await Door.open(doorSettings.address);
  process.once('SIGTERM', () => {
    void opened.close().then(() => process.exit(0));
  });
  process.stdout.write(`${JSON.stringify({ level: 'INFO', message: 'listening', port: opened.port })}\n`);
  return opened;
};

/** The server, which begins to listen when its bundle is loaded: a web function and a container have no handler. */
export const door = open();
