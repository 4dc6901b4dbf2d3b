import type { Infer } from '../../shared/http/schema.ts';
import { type Advisory, urlOfAdvisory } from '../../shared/table/repositories/advisories.ts';
import { type AdvisoryImport, beginning } from '../../shared/table/repositories/advisory-items.ts';
import type { advisoriesSchema, importSchema } from './schemas.ts';

/** The wire record of an import. */
export const importRecord = (found: AdvisoryImport): Infer<typeof importSchema> => ({
  id: found.importId,
  packageType: found.packageType,
  state: found.state,
  problem: found.problem || null,
  phase: found.phase,
  position: found.position,
  entries: found.entries,
  changed: found.changed,
  unchanged: found.unchanged,
  removed: found.removed,
  createdAt: found.createdAt,
  createdBy: found.createdBy,
});

/** The same as it was when the import began. */
export const begunRecord = (found: AdvisoryImport): ReturnType<typeof importRecord> =>
  importRecord({ ...found, ...beginning });

/** The wire record of an advisory. */
export const advisoryRecord = (advisory: Advisory): Infer<typeof advisoriesSchema>['advisories'][number] => ({
  id: advisory.id,
  url: urlOfAdvisory(advisory),
  kind: advisory.kind,
  severity: advisory.severity,
  summary: advisory.summary,
  modified: advisory.modified,
  versions: [...advisory.versions],
  ranges: advisory.ranges.map((events) => events.map(([event, version]) => ({ event, version }))),
});
