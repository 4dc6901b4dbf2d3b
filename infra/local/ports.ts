import type { RequestListener, Server } from 'node:http';
import type { LocalDoor } from './door.ts';
import { edgeListener, listenAsEdge } from './edge.ts';
import { hostForOthers, isEverywhere } from './host-for-others.ts';
import type { LogSink } from './lambda.ts';
import { drain, listen, urlOfServer } from './server.ts';
import type { OnStop } from './services.ts';

interface Wanted {
  readonly host: string;
  readonly port: number;
  /** The port of the front for reads, if there is one. */
  readonly readsPort?: number | undefined;
  /** Whether the edge takes the port, and the API one that only the edge and the door call. */
  readonly hasDoor: boolean;
}

/** Who answers at the ports. */
interface Listeners {
  readonly api: RequestListener;
  readonly front: RequestListener;
  readonly door: LocalDoor | undefined;
  readonly log: LogSink;
}

/** The ports of a service. */
export interface Ports {
  /** The URL for clients. */
  readonly url: string;
  /** That of the API, behind the edge and the door if there is one. */
  readonly apiUrl: string;
  /** That of the front for reads, if there is one. */
  readonly packagesUrl: string | undefined;
  /** Answers the requests that wait, and those that come. */
  open(listeners: Listeners): void;
  /** Accepts no new requests, and waits for those in flight: at the API last, because the others call it. */
  drain(door: LocalDoor | undefined): Promise<void>;
}

/** A server whose requests wait until it is opened. */
interface WaitingServer {
  readonly url: string;
  open(listener: RequestListener): void;
  drain(): Promise<void>;
}

const waiting = async (start: (listener: Promise<RequestListener>) => Promise<Server>): Promise<WaitingServer> => {
  const { promise, resolve: open } = Promise.withResolvers<RequestListener>();
  const server = await start(promise);
  return { url: urlOfServer(server), open, drain: async () => drain(server) };
};

/** The URL of a server as documents name it. */
const urlInDocuments = (url: string, host: string): string =>
  isEverywhere(host) ? `http://${hostForOthers(host)}:${new URL(url).port}` : url;

/** Takes the ports of a service. Throws StartError if another program has one. */
export const takePorts = async ({ host, port, readsPort, hasDoor }: Wanted, onStop: OnStop): Promise<Ports> => {
  const take = async (start: Parameters<typeof waiting>[0]): Promise<WaitingServer> => {
    const server = await waiting(start);
    onStop(server.drain);
    return server;
  };
  const edge = hasDoor ? await take((listener) => listenAsEdge(host, port, listener)) : undefined;
  const api = await take((listener) => (edge ? listen('127.0.0.1', 0, listener) : listen(host, port, listener)));
  const front =
    readsPort === undefined ? undefined : await take((listener) => listen(host, readsPort, listener, 'READS_PORT'));
  return {
    url: (edge ?? api).url,
    apiUrl: api.url,
    packagesUrl: front && urlInDocuments(front.url, host),
    open: (listeners) => {
      api.open(listeners.api);
      front?.open(listeners.front);
      if (listeners.door) edge?.open(edgeListener(listeners.api, listeners.door, listeners.log));
    },
    drain: async (door) => {
      await front?.drain();
      await edge?.drain();
      await door?.stop();
      await api.drain();
    },
  };
};
