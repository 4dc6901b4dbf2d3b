/** Makes something of each object once, such as of the parameters of a request, and keeps it as long as the object lives. */
export const oncePer = <K extends object, T extends object>(make: (key: K) => T): ((key: K) => T) => {
  const known = new WeakMap<K, T>();
  return (key) => {
    const found = known.get(key) ?? make(key);
    known.set(key, found);
    return found;
  };
};
