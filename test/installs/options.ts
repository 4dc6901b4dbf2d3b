/** Throws if there is no such front. */
const asksSecondFront = (front = 'gateway'): boolean => {
  if (front !== 'gateway' && front !== 'url')
    throw new Error(`INSTALL_FRONT is '${front}': set it to gateway, or to url.`);
  return front === 'url';
};

const numberOf = (name: string, standard: number): number => {
  const value = Number(process.env[name] ?? standard);
  if (!(value > 0)) throw new Error(`${name} is '${process.env[name]}': set it to a number above 0.`);
  return value;
};

/** Those of the choices that a variable names, or all if it is not set. Throws if it names one that there is not. */
const chosen = <Choice extends { readonly name: string }>(variable: string, choices: readonly Choice[]) => {
  const wanted = process.env[variable]?.split(',').filter((name) => name !== '');
  const unknown = wanted?.filter((name) => choices.every((choice) => choice.name !== name)) ?? [];
  const known = choices.map(({ name }) => name).join(', ');
  if (unknown.length > 0)
    throw new Error(`${variable} names what there is not: ${unknown.join(', ')}. There are ${known}.`);
  return wanted ? choices.filter(({ name }) => wanted.includes(name)) : choices;
};

/** What the environment says of a run. */
export const options = {
  chosen,
  rounds: numberOf('INSTALL_ROUNDS', 3),
  /** After so many seconds, an installation is ended and counts as failed. */
  secondsMax: numberOf('INSTALL_SECONDS_MAX', 400),
  /** How long the mixed traffic lasts, and how many clients make it. */
  mixedMinutes: numberOf('MIXED_MINUTES', 60),
  mixedClients: numberOf('MIXED_CLIENTS', 16),
  /** Whether clients use the second front for reads. */
  asksSecondFront: asksSecondFront(process.env.INSTALL_FRONT),
} as const;
