import { endpoints } from '../../functions/endpoints.ts';
import type { Settings } from '../../infra/settings.ts';
import { type Resources, type Synthesis, synthesiseVariant } from './templates.ts';

/** Enough to see every kind of reference to the table. */
const some = endpoints.filter(({ id }) => /^(?:universal|system)\//.test(id));

/** The syntheses of a restore, in the order of the runbook. */
const synthesise = (change: Partial<Settings>): Synthesis =>
  synthesiseVariant({ stage: 'prod', change: { readOnly: true, canary: false, ...change }, endpoints: some });
const before = synthesise({ tables: ['Table'] });
const imported = synthesise({ tables: ['Table', 'Restored'] });
const swapped = synthesise({ tables: ['Restored', 'Table'] });
const finished = synthesise({ tables: ['Restored'], readOnly: false });

const outer = ({ templates }: Synthesis): Resources => templates[0]?.[1].Resources ?? {};
const tablesOf = (synthesis: Synthesis): Resources =>
  Object.fromEntries(Object.entries(outer(synthesis)).filter(([, { Type }]) => Type === 'AWS::DynamoDB::Table'));
const idOf = (synthesis: Synthesis, name: string): string =>
  Object.keys(tablesOf(synthesis)).find((id) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id)) ?? '';

interface WithVariables {
  readonly Variables: Readonly<Record<string, string>>;
}

/** What stands in a template whatever the release: each release brings versions of the functions. */
const lastingIds = (synthesis: Synthesis): string[] =>
  Object.keys(outer(synthesis))
    .filter((id) => !id.includes('CurrentVersion'))
    .toSorted();

/** What CDK writes anew in each synthesis, and CloudFormation does not compare. */
const withoutMetadata = (synthesis: Synthesis): unknown =>
  synthesis.templates.map(([file, { Resources, Outputs }]) => [
    file,
    Outputs,
    Object.fromEntries(Object.entries(Resources).filter(([, { Type }]) => Type !== 'AWS::CDK::Metadata')),
  ]);

describe('A restore', () => {
  it('adds the restored table for the import, under the key of the other one, and changes nothing else', () => {
    const id = idOf(imported, 'Restored');
    const { [id]: restored, ...others } = outer(imported);
    const [file = '', template] = imported.templates[0] ?? [];
    const without = {
      ...imported,
      templates: [[file, { ...template, Resources: others }], ...imported.templates.slice(1)],
    };
    expect(withoutMetadata(without as Synthesis)).toEqual(withoutMetadata(before));
    // CloudFormation imports only what has a DeletionPolicy.
    expect(restored).toEqual(outer(before)[idOf(before, 'Table')]);
    expect(restored?.DeletionPolicy).toBe('Retain');
  });

  it('then lets every function use the restored table, and keeps both', () => {
    expect(tablesOf(swapped)).toEqual(tablesOf(imported));
    const [old, restored] = [idOf(swapped, 'Table'), idOf(swapped, 'Restored')];
    const nothingOf = (synthesis: Synthesis, table: string) => {
      const others = Object.entries(outer(synthesis)).filter(([id]) => id !== table);
      const text = JSON.stringify([others, synthesis.templates.slice(1)]);
      return !text.includes(`"${table}"`) && !text.includes(`${table}Ref`) && !text.includes(`${table}Arn`);
    };
    expect([nothingOf(imported, restored), nothingOf(imported, old)]).toEqual([true, false]);
    expect([nothingOf(swapped, restored), nothingOf(swapped, old)]).toEqual([false, true]);
    expect(lastingIds(swapped)).toEqual(lastingIds(imported));
  });

  it('ends with the restored table alone, and the old one is kept outside the stack', () => {
    expect(Object.keys(tablesOf(finished))).toEqual([idOf(swapped, 'Restored')]);
    expect(outer(swapped)[idOf(swapped, 'Table')]).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { DeletionProtectionEnabled: true },
    });
  });

  it('is read-only until its end: no function but the one of the first admin writes, and nothing is swept', () => {
    const variablesOf = ({ resources }: Synthesis) =>
      resources
        .filter(({ Type }) => Type === 'AWS::Lambda::Function')
        .map(({ Properties }) => (Properties?.Environment as WithVariables | undefined)?.Variables ?? {});
    for (const synthesis of [before, imported, swapped]) {
      const writing = variablesOf(synthesis).filter(({ READ_ONLY }) => READ_ONLY !== 'true');
      expect(writing.map((each) => Object.keys(each))).toEqual([expect.arrayContaining(['FIRST_ADMIN_SECRET_ARN'])]);
      synthesis.template.hasResourceProperties('AWS::Events::Rule', { State: 'DISABLED' });
    }
    expect(variablesOf(finished).filter(({ READ_ONLY }) => READ_ONLY !== undefined)).toEqual([]);
    finished.template.hasResourceProperties('AWS::Events::Rule', { State: 'ENABLED' });
  });
});
