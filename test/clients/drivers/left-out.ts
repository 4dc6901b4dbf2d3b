/** The clients that WITHOUT leaves out, such as `WITHOUT=pnpm,curl`. Throws if it names one that there is not. */
export const leftOutOf = (names: readonly string[]): readonly string[] => {
  const leftOut = (process.env.WITHOUT ?? '').split(',').filter((name) => name !== '');
  const unknown = leftOut.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`WITHOUT names no client: ${unknown.join(', ')}. There are ${names.join(', ')}.`);
  return leftOut;
};
