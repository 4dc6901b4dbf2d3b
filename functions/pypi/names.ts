/** The names of projects (PEP 508). Unlike in Python, `i` adds no letter beyond ASCII here. */
const pattern = /^(?:[a-z0-9]|[a-z0-9][a-z0-9._-]*[a-z0-9])$/i;

/** A key of the table and a segment of a path contain the name. */
const nameLengthMax = 200;

/** Whether a project may have this name. */
export const isProjectName = (text: string): boolean => text.length <= nameLengthMax && pattern.test(text);

/** The form of a name that all its spellings have in common (PEP 503). */
export const normalName = (name: string): string => name.replaceAll(/[-_.]+/g, '-').toLowerCase();

/** The normalised name of a project; undefined if no project may have the name. */
export const projectIn = (text: string): string | undefined => (isProjectName(text) ? normalName(text) : undefined);
