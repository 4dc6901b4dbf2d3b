/** What holds for all endpoints of a package type: no release has stored packages, and no example of the document makes one. */
export const ofPackages = {
  released: 'about packages, which no release has stored',
  examples: [],
} as const;
