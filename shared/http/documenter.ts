import type { Schema } from './schema.ts';

/** A piece of the OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** What kinds of requests and answers describe themselves with. */
export interface Documenter {
  /** A schema in OpenAPI's words. */
  readonly schema: (shape: Schema) => Json;
  /** A value that a schema accepts. */
  readonly example: (shape: Schema) => unknown;
  /** The links from what was created to the operation that gets it, given the location. */
  readonly links: (location: string) => Json;
}

/** A response in the document: what it is, the headers that it has beside those of every response, its body and its links. */
export interface DescribedResponse {
  readonly description: string;
  readonly headers?: readonly string[];
  readonly content?: Json;
  readonly links?: Json;
}
