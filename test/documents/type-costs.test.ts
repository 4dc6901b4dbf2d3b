import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageFormat } from '../harness/package-format.ts';
import { nameIn, packageFormats } from '../harness/package-formats.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { uniqueName } from '../harness/world.ts';

const runbook = readFileSync(join(__dirname, '..', '..', 'RUNBOOK.md'), 'utf8');
const service = useService();

/** The units that the functions read and write meanwhile. */
const unitsOf = async (work: () => Promise<unknown>) => {
  service.proxy.forget();
  service.proxy.countsUnits = true;
  await work();
  return { read: service.proxy.consumed(false), written: service.proxy.consumed(true) };
};

const rowOf = async (format: PackageFormat): Promise<string> => {
  const workspace = await service.world.workspace();
  const repository = await service.world.repository(workspace, undefined, format.packageType);
  const as = (await service.world.systemAdmin()).bearer;
  const address = { workspace, repository, name: nameIn(format, uniqueName('cost')), version: '1.0.0', as };
  await format.publish(service, address, 'content');
  // The second read keeps what the first one has seen the version of.
  for (const read of [format.versions, format.download])
    for (let warmed = 0; warmed < 2; warmed += 1) await read(service, address);
  const published = await unitsOf(async () => format.publish(service, { ...address, version: '1.1.0' }, 'content'));
  await format.versions(service, address);
  const index = await unitsOf(async () => format.versions(service, address));
  const file = await unitsOf(async () => format.download(service, address));
  return `| ${format.packageType} | ${published.read} | ${published.written} | ${index.read} | ${file.read} |`;
};

describe('The runbook', () => {
  it.each(shareOf(packageFormats, 2).map((format) => [format.packageType, format] as const))(
    'tells what packages of %s cost, as measured now',
    async (_, format) => {
      expect(runbook.split('\n')).toContain(await rowOf(format));
    },
  );
});
