/** The go.mod of a module that has none, as Go itself makes it. */
export const synthesised = (modulePath: string): Buffer => Buffer.from(`module ${modulePath}\n`);

const unquoted = (token: string): string => /^(["`])(?<text>.*)\1$/.exec(token)?.groups?.text ?? token;

/** A pattern for the comment would begin anew at each slash of a line with a separator that is no line break. */
const withoutComment = (line: string): string => {
  const at = line.indexOf('//');
  return at < 0 ? line : line.slice(0, at);
};

/** The path that the `module` directive of a go.mod declares; undefined if there is none. */
export const declaredPath = (goMod: Uint8Array): string | undefined => {
  const tokens = Buffer.from(goMod)
    .toString()
    .split('\n')
    .map((line) => withoutComment(line).trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));
  const at = tokens.findIndex(([first]) => first === 'module' || first === 'module(');
  if (at === -1) return undefined;
  const [first, second] = tokens[at] ?? [];
  // The directive may also be a block of one line.
  const token = first === 'module(' || second === '(' ? tokens[at + 1]?.[0] : second;
  return token === undefined ? undefined : unquoted(token);
};
