import { id, nullable, timestamp } from '../../shared/http/fields.ts';
import { array, object, schema } from '../../shared/http/schema.ts';
import { packageTypes } from '../../shared/package-types.ts';
import { severities } from '../../shared/table/repositories/advisories.ts';

export const packageType = schema({ type: 'string', enum: packageTypes });

export const importBody = object(
  {
    packageType,
    upload: schema({
      ...id,
      pattern: '^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$',
      allowed: 'the ID of an upload session',
      description: 'Your upload session with the archive as its only file, which is not completed.',
    }),
    allowsFewerEntries: nullable(
      schema({
        type: 'boolean',
        description:
          'True imports an archive with less than 80 % of the entries of the last one, too. The default is false: such an archive is refused, because it may be incomplete.',
        examples: [false],
      }),
    ),
  },
  ['allowsFewerEntries'],
);

const count = (description: string, example: number) => schema({ type: 'integer', description, examples: [example] });

export const importSchema = schema({
  ...object({
    id,
    packageType,
    state: schema({
      type: 'string',
      enum: ['running', 'done', 'refused', 'replaced'],
      description:
        '`refused`: the archive cannot be imported, as `problem` says. `replaced`: a later import of the same type has begun.',
      examples: ['running'],
    }),
    problem: schema({
      type: ['string', 'null'],
      description: 'Why the archive was refused.',
      examples: ['The file is no zip archive, or it is cut off or damaged.'],
    }),
    phase: schema({
      type: 'string',
      enum: ['checking', 'writing', 'removing'],
      description:
        'First each entry is read, then what changed is written, and last what the archive has no more is removed.',
      examples: ['writing'],
    }),
    position: count('How many entries this phase is through with; while it removes, how many of 64 parts.', 120_000),
    entries: count('The entries of the archive; 0 before they are counted.', 229_000),
    changed: count('The entries that were written.', 118_000),
    unchanged: count('The entries that were there as they are.', 2_000),
    removed: count('The entries that the archive has no more.', 0),
    createdAt: timestamp,
    createdBy: { ...nullable(id), description: 'The ID of the user who began it; null: the schedule.' },
  }),
  title: 'AdvisoryImport',
});

const text = (description: string, example: string) => schema({ type: 'string', description, examples: [example] });

const advisory = schema({
  ...object({
    id: text('Its ID at osv.dev.', 'MAL-2026-1234'),
    url: text('Where it can be read.', 'https://osv.dev/vulnerability/MAL-2026-1234'),
    kind: schema({ type: 'string', enum: ['malware', 'vulnerability'], examples: ['malware'] }),
    severity: schema({
      type: ['string', 'null'],
      enum: [...severities, null],
      description: 'Null: it says none.',
      examples: ['critical'],
    }),
    summary: text('What it is about, cut after 200 characters.', 'Malicious code in axios (npm)'),
    modified: text('When it last changed, as its publisher says.', '2026-03-31T09:30:00Z'),
    versions: schema({
      type: 'array',
      items: { type: 'string' },
      description: 'The affected versions that it lists.',
      examples: [['1.14.1']],
    }),
    ranges: {
      ...array(
        array(
          object({
            event: schema({
              type: 'string',
              enum: ['introduced', 'fixed', 'last_affected', 'limit'],
              examples: ['introduced'],
            }),
            version: text('The version of the event; `0` is below all.', '0'),
          }),
        ),
      ),
      description: 'The affected ranges, each as its events (ossf.github.io/osv-schema).',
    },
  }),
  title: 'Advisory',
});

export const advisoriesSchema = schema({
  ...object({
    packageType,
    package: text('As the package type spells it.', 'axios'),
    importedAt: { ...nullable(timestamp), description: 'When advisories on the type were last imported; null: never.' },
    advisories: { ...array(advisory), description: 'Malware first, then by severity.' },
  }),
  title: 'PackageAdvisories',
});
