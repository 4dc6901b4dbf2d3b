import type { Schema } from './schema.ts';

/** A piece of the OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** The means by which the kinds of requests and answers describe themselves. */
export interface Documenter {
  /** A schema in OpenAPI's words. */
  readonly schema: (shape: Schema) => Json;
  /** A value that a schema accepts. */
  readonly example: (shape: Schema) => unknown;
  /** The links from a creation to the operation that gets the created resource, given its location. */
  readonly links: (location: string) => Json;
}

/** A response in the document: its description, its headers apart from those of every response, its body and its links. */
export interface DescribedResponse {
  readonly description: string;
  readonly headers?: readonly string[];
  readonly content?: Json;
  readonly links?: Json;
}
