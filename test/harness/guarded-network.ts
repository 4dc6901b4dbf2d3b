import dns from 'node:dns';
import net from 'node:net';

/**
 * Loaded into the thread of each function before its bundle (`NODE_OPTIONS=--require`): it fails and tells every look-up of a name,
 * and every connection other than to the table and the key service.
 */
const allowed = new Set(
  [process.env.AWS_ENDPOINT_URL_DYNAMODB, process.env.AWS_ENDPOINT_URL_KMS].map((url) => new URL(url ?? '').host),
);

const tell = (word: string, what: string): void => {
  process.stdout.write(`${JSON.stringify({ guard: word, what })}\n`);
};

const refuse = (what: string): never => {
  tell('refused', what);
  throw new Error(`No network call is allowed here: ${what}`);
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]): net.Socket {
  // http passes the options in an array of its own making.
  const [first] = args.flat() as [{ host?: string; port?: number | string } | number | string | undefined];
  const { host = 'localhost', port } = typeof first === 'object' ? first : { port: first };
  if (!allowed.has(`${host}:${port}`)) refuse(`connect ${host}:${port}`);
  tell('allowed', `connect ${host}:${port}`);
  return Reflect.apply(connect, this, args) as net.Socket;
};

const lookUps = (module: object): void => {
  for (const name of Object.keys(module))
    if (/^(?:lookup|resolve|reverse)/.test(name))
      Object.assign(module, { [name]: (host: unknown) => refuse(`dns.${name} ${String(host)}`) });
};
lookUps(dns);
lookUps(dns.promises);
