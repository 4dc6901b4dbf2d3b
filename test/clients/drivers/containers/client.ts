import type { Ran } from '../driver.ts';
import type { Sandbox } from '../sandbox.ts';

/** The address of an image without its tag, such as `127.0.0.1:3000/workspace/repository/image`, and the token for it. */
export interface ImageAddress {
  readonly host: string;
  readonly path: string;
  readonly token: string;
}

/** One real client of registries of containers. Each method runs it in a sandbox that may have run it before. */
export interface ContainerClient {
  readonly name: string;
  /** Returns the version of the client; fails with what to do where there is none. */
  readonly prepare: () => Promise<string>;
  /** Set if the client packs layers again, so that an image gets other digests on its way. */
  readonly packsAgain?: true;
  /** Set if the client pushes and pulls an index with all its images. */
  readonly takesIndexes: boolean;
  /** Pushes the image `made` of the layout `from`, a folder of the project. */
  readonly push: (sandbox: Sandbox, from: string, image: ImageAddress, tag: string) => Promise<Ran>;
  /** Pulls an image, or an index with all its images, into the layout `to`. `reference` begins with `:` or with `@`. */
  readonly pull: (sandbox: Sandbox, image: ImageAddress, reference: string, to: string) => Promise<Ran>;
  /** Deletes a manifest by its digest; absent if the client cannot. */
  readonly remove?: (sandbox: Sandbox, image: ImageAddress, digest: string) => Promise<Ran>;
  /** What the client prints of a refusal. */
  readonly prints: {
    readonly levelTooLow: RegExp;
    readonly wrongCredential: RegExp;
  };
}

/** The name of an image with its tag or digest. */
export const nameOf = ({ host, path }: ImageAddress, reference: string): string => `${host}/${path}${reference}`;

/** Writes the credential where all these clients look for it: into the settings of docker. */
export const signIn = (sandbox: Sandbox, { host, token }: ImageAddress): void => {
  const auth = Buffer.from(`token:${token}`).toString('base64');
  sandbox.write({ 'home/.docker/config.json': JSON.stringify({ auths: { [host]: { auth } } }) });
};
