const number = (name: string, standard: number): number => {
  const value = Number(process.env[name] ?? standard);
  if (!(value > 0)) throw new Error(`${name} is '${process.env[name]}': set it to a number above 0.`);
  return value;
};

const names = (name: string): readonly string[] | undefined => process.env[name]?.split(',').filter(Boolean);

/** What the environment says of a run. */
export const options = {
  /** The installations to measure, by their names: all, if it is not set. */
  installs: names('INSTALLS'),
  /** The services to measure beside the public registry: Stockroom and its peers, if it is not set. */
  services: names('INSTALL_SERVICES') ?? ['Stockroom', 'Verdaccio', 'proxpi'],
  rounds: number('INSTALL_ROUNDS', 3),
  /** After so many seconds, an installation is ended and counts as failed. */
  secondsMax: number('INSTALL_SECONDS_MAX', 400),
} as const;
