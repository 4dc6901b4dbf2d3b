import { definitionOf } from '../../../functions/package-definitions.ts';
import {
  deletePackage,
  deletePackageVersion,
  getPackage,
  getPackageVersion,
  listPackages,
  listPackageVersions,
} from '../../../functions/packages/contracts.ts';
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
      const [first, second] = ['1.0.0', '2.0.0'] as const;
      for (const version of [first, second])
        await format.publish(service, { workspace, repository, name, version, as }, `${name} ${version}`);
      const shouted = name.toUpperCase();
      const params = { workspace: workspace.id, repository: repository.id, package: shouted, version: first };
      const { packages, total } = await service.client.succeed(listPackages, {
        params,
        query: { search: shouted.slice(0, -2) },
        as,
      });
      expect([total, packages.map((each) => each.displayName)]).toEqual([1, [name]]);
      const input = { params, as };
      const answers = [
        await service.client.attempt(getPackage, input),
        await service.client.attempt(listPackageVersions, input),
        await service.client.attempt(getPackageVersion, input),
        await service.client.attempt(deletePackageVersion, input),
        await service.client.attempt(deletePackage, input),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const { packages: left } = await service.client.succeed(listPackages, { params, query: {}, as });
      expect(left).toEqual([]);
    },
  );
});
