import type { Client, Source } from '../client.ts';

/** A service that runs with nothing in it. */
export interface Server {
  /** The process whose memory and processor time are measured, with all that it starts. */
  readonly pid: number;
  /** Where a client finds its public registry through the service. Stockroom and Verdaccio keep nothing of it there yet. */
  readonly sourceOf: (client: Client) => Promise<Source>;
  /** How many answers had a status of 500 or above so far. */
  readonly failedAnswers: () => number;
  readonly stop: () => Promise<void>;
}

/** A service that can be started. */
export interface Service {
  readonly name: string;
  /** Starts it with its data in an empty folder, and its log in a file. */
  readonly start: (folder: string, log: string) => Promise<Server>;
}
