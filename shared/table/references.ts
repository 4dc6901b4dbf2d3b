const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const name = /^[a-z0-9._-]{1,30}$/;

/** A reference in a path or a body: an ID or a name. A name is never as long as an ID. */
export type Reference = { readonly id: string } | { readonly name: string };

/** Parses a reference. The letters of an ID may have either case. Undefined if the text is neither an ID nor a name. */
export const parseReference = (text: string): Reference | undefined => {
  if (uuid.test(text)) return { id: text.toLowerCase() };
  return name.test(text) ? { name: text } : undefined;
};

/** The ID in a text; undefined if the text is not an ID. */
export const idOf = (text: string | undefined): string | undefined => {
  const reference = parseReference(text ?? '');
  return reference && 'id' in reference ? reference.id : undefined;
};

/** The name in a text; undefined if the text is not a name. */
export const nameOf = (text: string | undefined): string | undefined => {
  const reference = parseReference(text ?? '');
  return reference && 'name' in reference ? reference.name : undefined;
};
