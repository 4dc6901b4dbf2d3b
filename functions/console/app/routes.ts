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
    .replace(/^#\/?/, '')
    .split('/')
    .filter((text) => text !== '')
    .map(decoded);

/** The parts of the present address. */
export const useAddress = (): readonly string[] => {
  const [parts, setParts] = useState(partsNow);
  useEffect(() => {
    const follow = () => setParts(partsNow());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return parts;
};
