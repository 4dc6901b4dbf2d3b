import { endpoints } from '../../functions/endpoints.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { synthesiseVariant } from './templates.ts';

/** What CloudFormation takes in one stack. */
const resourcesMax = 500;

const folders = [...new Set(endpoints.map(({ id }) => id.split('/')[0] ?? ''))];

/** Two hundred endpoints: those that there are, and more like them, in the given folders. */
const grown = (foldersOfMore: readonly string[]): Contract[] => [
  ...endpoints,
  ...Array.from({ length: 200 - endpoints.length }, (_, index): Contract => {
    const like = endpoints.find(({ access }) => access === 'workspace-admin');
    if (!like) throw new Error('There is no endpoint to make more of.');
    const id = `${foldersOfMore[index % foldersOfMore.length]}/made-up-${index}`;
    return {
      ...like,
      id,
      method: 'GET',
      path: `/1/workspaces/{workspace}/made-up/${index}`,
      table: ['Query', 'PutItem'],
    };
  }),
];

const spreads: readonly (readonly [string, readonly string[]])[] = [
  ['spread over the resources', folders],
  ['with all that are new in one resource', ['repositories']],
];

describe('two hundred endpoints', () => {
  it.each(sampleOf(spreads, today))(
    '%s fit into stacks of 500 resources, with canaries and firewall',
    (_, foldersOfMore) => {
      const made = grown(foldersOfMore);
      const { templates } = synthesiseVariant({ stage: 'prod', endpoints: made });
      const sizes = templates.map(([file, { Resources }]) => [file, Object.keys(Resources).length] as const);
      const ofOne = templates.flatMap(([, { Resources }]) =>
        Object.keys(Resources).filter((id) => /made-?up-?10/i.test(id)),
      );
      process.stdout.write(
        `${made.length} endpoints, ${ofOne.length} resources each: ` +
          `${sizes.map(([file, size]) => `${file.replace(/\..*/, '')} ${size}`).join(', ')}\n`,
      );
      // Only hot functions are released in steps, by a resource more.
      expect(ofOne.length).toBeGreaterThanOrEqual(6);
      expect(sizes.filter(([, size]) => size >= resourcesMax)).toEqual([]);
    },
  );
});
