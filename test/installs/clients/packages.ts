import { type Dirent, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const foldersIn = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  } catch {
    return [];
  }
};

/** How many packages are in a folder `node_modules`, those of packages in it included. Links to a package count nothing. */
export const nodePackagesIn = (folder: string): number => {
  let count = 0;
  for (const { name } of foldersIn(folder)) {
    const path = join(folder, name);
    if (name === '.pnpm')
      for (const store of foldersIn(path)) count += nodePackagesIn(join(path, store.name, 'node_modules'));
    else if (name.startsWith('@')) count += nodePackagesIn(path);
    else if (!name.startsWith('.')) count += 1 + nodePackagesIn(join(path, 'node_modules'));
  }
  return count;
};

/** How many files a pattern finds below a folder. */
export const filesIn = (folder: string, pattern: string): number => globSync(pattern, { cwd: folder }).length;
