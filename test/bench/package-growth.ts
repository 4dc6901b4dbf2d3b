import { randomBytes, randomUUID } from 'node:crypto';
import { publishBody, tarballOf } from '../harness/npm.ts';
import { storeLargePackage } from '../scale/large-package.ts';
import { ourRegistry, send } from './packages.ts';
import { type Figure, inTurns, median, times } from './report.ts';
import type { Workbench } from './workbench.ts';

/** More than the 64 publishes after which a snapshot of the index is written: one of them is in the figures. */
const rounds = 70;
const flatMax = 1.2;
const sizes = [1, 1_000, 10_000] as const;

/** Publishes beside growing numbers of versions, one at a time. */
export const packageGrowth = async (workbench: Workbench): Promise<Figure[]> => {
  const { registry, workspace, repository } = await ourRegistry(workbench);
  const publishBeside = async (count: number) => {
    const name = `package-${randomUUID().slice(24)}`;
    await storeLargePackage({ workspace, repository, name }, count);
    return async (round: number): Promise<number> => {
      const version = `2.0.${round}`;
      const tarball = tarballOf({ name, version }, randomBytes(10_000).toString('hex'));
      const body = publishBody(name, version, { description: 'A package' }, tarball);
      const before = performance.now();
      await send('PUT', `${registry.url}/${name}`, registry.bearer, body);
      return performance.now() - before;
    };
  };
  const [one, thousand, tenThousand] = [
    await publishBeside(sizes[0]),
    await publishBeside(sizes[1]),
    await publishBeside(sizes[2]),
  ];
  const measured = await inTurns(rounds, { one, thousand, tenThousand }, Number.POSITIVE_INFINITY);
  const milliseconds = median(measured.one);
  const ratios = [measured.thousand, measured.tenThousand].map((each) => median(each) / milliseconds);
  return [
    {
      row: 'publish, by versions of the package',
      against: `1 (${milliseconds.toFixed(1)} ms)`,
      goal: `flat: ≤ ${flatMax} ×`,
      figure: `1,000: ${times(ratios[0] ?? Number.NaN)}, 10,000: ${times(ratios[1] ?? Number.NaN)}`,
      met: ratios.every((ratio) => ratio <= flatMax),
    },
  ];
};
