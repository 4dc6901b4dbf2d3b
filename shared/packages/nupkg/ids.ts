/** The IDs of packages, in ASCII: clients compare them without regard to case, and no two rules for the case of other letters agree. */
const pattern = /^[a-z0-9_]+(?:[.-][a-z0-9_]+)*$/i;

/** The maximum length of an ID, as for the public gallery. */
const lengthMax = 100;

/** Whether a package may have this ID. */
export const isPackageId = (id: string): boolean => id.length <= lengthMax && pattern.test(id);

/** The name of the package that an ID stands for: one for all spellings. */
export const nameOfId = (id: string): string => id.toLowerCase();
