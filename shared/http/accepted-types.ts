/** A range of media types that a client accepts, in lower case. A weight of 0 refuses it. */
interface AcceptedType {
  readonly type: string;
  readonly weight: number;
}

/** The weight of a range (RFC 9110 section 12.4.2). What is no number counts as the highest. */
const weightOf = (parameters: readonly string[]): number => {
  const q = parameters.find((each) => /^q=/i.test(each))?.slice(2);
  const weight = q === undefined ? 1 : Number(q);
  return Number.isNaN(weight) ? 1 : weight;
};

/** What an `Accept` header names, in its order. */
export const acceptedTypes = (accept = ''): readonly AcceptedType[] =>
  accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    return { type: type.toLowerCase(), weight: weightOf(parameters) };
  });
