import { useEffect, useState } from 'preact/hooks';

/** Where the packages of a repository are. */
export interface Place {
  readonly workspace: string;
  readonly repository: string;
}

/** The address of a page: a fragment, which stays in the browser. Its parts are names, each encoded. */
export const addressOf = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const partsNow = (): readonly string[] =>
  location.hash
    .replace(/^#\/?|\?.*/g, '')
    .split('/')
    .filter((text) => text !== '')
    .map(decoded);

/** Something of the present address, whatever leads to another one. */
const useOfAddress = <T>(read: () => T): readonly [value: T, set: (value: T) => void] => {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const follow = () => setValue(read());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return [value, setValue];
};

/** The parts of the present address. */
export const useAddress = (): readonly string[] => useOfAddress(partsNow)[0];

type Query = Readonly<Record<string, string>>;

const queryNow = (): Query => Object.fromEntries(new URLSearchParams(location.hash.replace(/^[^?]*/, '')));

/** What is looked for on a page, as its address says it, so that Back finds it again. Typing replaces it there: no letter is a page of its own. */
export const useQuery = (): readonly [query: Query, set: (query: Query) => void] => {
  const [query, setQuery] = useOfAddress(queryNow);
  const set = (next: Query) => {
    const text = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== '')).toString();
    history.replaceState(null, '', location.hash.replace(/\?.*|$/, text && `?${text}`));
    setQuery(next);
  };
  return [query, set];
};
