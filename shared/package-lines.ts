/** Lines to paste, under a title. */
export interface LinesToPaste {
  readonly title: string;
  readonly text: string;
}

/** What the lines of a client are made of. */
export interface LineParts {
  readonly workspace: string;
  readonly repository: string;
  readonly name: string;
  readonly version: string;
  /** The name and the version as parts of a URL: every name can stand in it, also one that can stand in no line. */
  readonly path: string;
  /** The address of the repository, without a slash at its end. */
  readonly at: string;
  /** The same without its scheme. */
  readonly bare: string;
  readonly host: string;
  /** Whether the address has no TLS, for which some clients need a word more. */
  readonly isHttp: boolean;
  /** Whether the repository is remote: it passes on what an upstream has signed, and has no key of its own. */
  readonly isRemote: boolean;
}

/** The words in the titles of lines. */
export interface LineWords {
  readonly setUp: string;
  readonly install: string;
  /** The end of the titles of lines that publish: they are shown to those alone who can. */
  readonly publish: string;
  /** Said where a client sends no credential without TLS. */
  readonly needsTls: string;
}

/** Makes the lines of the clients of one package type: they set a client up, install a version and publish one. */
export type LinesMaker = (parts: LineParts, words: LineWords) => readonly LinesToPaste[];

export const lines = (title: string, ...text: readonly string[]): LinesToPaste => ({ title, text: text.join('\n') });
