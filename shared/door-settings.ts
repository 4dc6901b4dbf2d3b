import { doorEnvironment, publicUrlVariable, requiredVariable, uploadsMaxVariable, variable } from './config.ts';

/** Where the door listens. */
export interface DoorAddress {
  readonly host: string;
  readonly port: number;
}

/** Of the door and of the endpoints that take bodies from it; apart from `config`, which is in every bundle. */
export const doorSettings = {
  /** The key that signs references to staged bodies. Undefined in a stage without a door. */
  get keyId(): string | undefined {
    return variable(doorEnvironment.doorKeyId);
  },
  /** The URL of the API behind the door. */
  get apiUrl(): URL {
    return new URL(requiredVariable(doorEnvironment.apiUrl));
  },
  /** The URL that clients know the service by; undefined if it has the host name that each request names. */
  get publicUrl(): string | undefined {
    return variable(publicUrlVariable);
  },
  /** The secret with the values that the proxy in front of the door may send; undefined if anybody may call the door. */
  get edgeSecretArn(): string | undefined {
    return variable(doorEnvironment.edgeSecretArn);
  },
  /** How many bodies may have a whole part in memory at the same time. Those of slow clients have less, and so may be more. */
  get uploadsMax(): number {
    const text = variable(uploadsMaxVariable) ?? '16';
    if (!/^[1-9]\d{0,3}$/.test(text))
      throw new Error(`${uploadsMaxVariable} is '${text}': set it to a number from 1 to 9999.`);
    return Number(text);
  },
  /** Lambda says where a web function listens; elsewhere HOST and PORT do. */
  get address(): DoorAddress {
    const local = `${variable('HOST') ?? '0.0.0.0'}:${variable('PORT') ?? '8080'}`;
    const [, host, port] = /^(.+):(\d+)$/.exec(variable('AWS_LAMBDA_HTTP_ENDPOINT') ?? local) ?? [];
    if (host === undefined) throw new Error('AWS_LAMBDA_HTTP_ENDPOINT must be a host and a port.');
    return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
  },
};
