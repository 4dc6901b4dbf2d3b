/** The characters of file names in modules: ASCII without what shells and Windows treat specially, and letters of any script. */
const element = /^[\p{L}0-9!#$%&()+,\-.=@[\]^_{}~ ]+$/u;

/** Whether an element of a path has, before its first dot, a name that Windows reserves for a device. */
export const isReserved = (name: string): boolean => /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|$)/i.test(name);

/** Whether a text is the path of a file in a module, by the rules of `module.CheckFilePath`. */
export const isFilePath = (path: string): boolean => path.split('/').every(isFileName);

/** Whether a text is one element of such a path. It neither ends with a dot nor consists of dots. */
export const isFileName = (name: string): boolean => element.test(name) && !name.endsWith('.') && !isReserved(name);

/** The letters of which no other letter is a capital or a small form, although they have such a form in some languages. */
const single = new Set(['ı', 'İ']);

const foldLetter = (letter: string): string => {
  if (single.has(letter)) return letter;
  const capital = letter.toUpperCase();
  const base = Array.from(capital).length === 1 ? capital : letter;
  const small = base.toLowerCase();
  return Array.from(small).length === 1 ? small : base;
};

/** A text that two paths share if they differ in case alone. Some file systems treat such paths as one. */
export const folded = (path: string): string =>
  /^[\0-\x7f]*$/.test(path) ? path.toLowerCase() : Array.from(path, foldLetter).join('');
