import type { PackageType } from '../../shared/package-types.ts';
import type { Sandbox } from '../clients/drivers/sandbox.ts';

/** Where a client gets its packages: an address without a slash at the end, and what it needs to use it. */
export interface Source {
  readonly url: string;
  readonly token?: string;
  /** The certificate of an address over TLS. */
  readonly certificate?: string;
}

/** One command of an installation. */
export interface Command {
  readonly file: string;
  readonly parameters: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

/** A real client, and the real project that it installs. */
export interface Client {
  readonly name: string;
  readonly packageType: PackageType;
  /** Its public registry: the address of a direct installation, and that of the remote repository. */
  readonly registry: string;
  /** The public hosts that the service has to reach for it. */
  readonly hosts: readonly string[];
  /** What the client appends to the address of a repository and of its registry. */
  readonly path?: string;
  /** The other service that is measured with the same installation. */
  readonly peer?: 'Verdaccio' | 'proxpi';
  /** Set if the client uses addresses over TLS alone. */
  readonly isOverTls?: true;
  /** Gets the client, and returns its version; fails with what to do where there is none. */
  readonly prepare: () => Promise<string>;
  /** Writes the project and the settings into an empty sandbox, and returns the commands that install it. */
  readonly commandsIn: (sandbox: Sandbox, source: Source) => readonly Command[];
  /** How many packages are there after an installation. */
  readonly packagesIn: (sandbox: Sandbox) => number;
}
