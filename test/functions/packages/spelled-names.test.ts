import { definitionOf } from '../../../functions/package-definitions.ts';
import {
  deletePackage,
  deletePackageVersion,
  getPackage,
  getPackageVersion,
  listPackages,
  listPackageVersions,
} from '../../../functions/packages/contracts.ts';
import type { Contract } from '../../../shared/http/contract.ts';
import type { PackageFormat } from '../../harness/package-format.ts';
import { nameIn, packageFormats } from '../../harness/package-formats.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { nugetFormat } from '../../types/nuget-format.ts';

const service = useService();

const spellingOf = ({ packageType }: PackageFormat) => definitionOf(packageType).spelling;

/** Those that take a name in capital letters for the same name. */
const formats = [...new Set([...packageFormats, nugetFormat])].filter(
  (format) => spellingOf(format).normalize('ONE') === spellingOf(format).normalize('one'),
);

describe('A package whose type knows several spellings of its name', () => {
  it.each(formats.map((format) => [format.packageType, format] as const))(
    'is found, listed and deleted by each of them: %s',
    async (packageType, format) => {
      const workspace = await service.world.workspace();
      const as = (await service.world.systemAdmin()).bearer;
      const repository = await service.world.repository(workspace, undefined, packageType);
      const name = nameIn(format, uniqueName('spelled'));
      const versions = ['1.0.0', '2.0.0'].map((version) => format.versionOf?.(version) ?? version);
      for (const version of versions)
        await format.publish(service, { workspace, repository, name, version, as }, `${name} ${version}`);
      const shouted = name.toUpperCase();
      const params = { workspace: workspace.id, repository: repository.id, package: shouted, version: versions[0] };
      const ask = (contract: Contract) => service.client.attempt(contract, { params, as } as never);
      const { packages, total } = await service.client.succeed(listPackages, {
        params,
        query: { search: shouted.slice(0, -2) },
        as,
      });
      expect([total, packages.map((each) => each.displayName)]).toEqual([1, [name]]);
      const statuses: number[] = [];
      for (const contract of [getPackage, listPackageVersions, getPackageVersion, deletePackageVersion, deletePackage])
        statuses.push((await ask(contract)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200]);
      const { packages: left } = await service.client.succeed(listPackages, { params, query: {}, as });
      expect(left).toEqual([]);
    },
  );
});
