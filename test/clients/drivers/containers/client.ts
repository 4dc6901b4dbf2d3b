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
  /** Pushes the image `made` of the layout `from`, a folder of the project. */
  readonly push: (sandbox: Sandbox, from: string, image: ImageAddress, tag: string) => Promise<Ran>;
  /**
   * Pulls an image into the layout `to`, and of an index all its images, or the one of the architecture. `reference` begins with
   * `:` or with `@`.
   */
  readonly pull: (
    sandbox: Sandbox,
    image: ImageAddress,
    reference: string,
    to: string,
    architecture?: string,
  ) => Promise<Ran>;
  /** Pushes an index of images that were pushed under these tags; absent if the client pushes an index with its images. */
  readonly combine?: (sandbox: Sandbox, image: ImageAddress, tags: readonly string[], tag: string) => Promise<Ran>;
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
