import { getDebianDocument } from '../../functions/debian/contracts.ts';
import { getGemsDocument } from '../../functions/gems/contracts.ts';
import { deleteContent } from '../../functions/packages/contracts.ts';
import { getRpmDocument } from '../../functions/rpm/contracts.ts';
import { passADay } from '../harness/due-blobs.ts';
import { type PackageFormat, paramsOf, type VersionAddress } from '../harness/package-format.ts';
import { whenAvailable } from '../harness/retry.ts';
import { shareOf } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import { brokenContent, remains } from '../harness/stored-packages.ts';
import { uniqueName } from '../harness/world.ts';
import { debianFormat } from '../types/debian.ts';
import { gemsFormat } from '../types/gems.ts';
import { rpmFormat } from '../types/rpm.ts';
import { type Kill, killEverywhere } from './killed-actions.ts';

jest.setTimeout(180_000);

const service = useService();

/** A type, the document whose read makes a generation, one whose read makes none, and the calls by which the first changes something. */
type Made = readonly [PackageFormat, document: string, warm: string, calls: readonly Kill['call'][]];

/** How the bytes of a list, or the names of those of a set, are stored; then all of them become known at once. */
const [stored, known] = [['transaction', 'PUT'], ['transaction']] as const;

const made: readonly Made[] = [
  [debianFormat, 'dists/stable/InRelease', 'key.asc', [...stored, ...stored, ...known]],
  [
    rpmFormat,
    'repodata/repomd.xml',
    'repodata/repomd.xml.key',
    [...stored, ...stored, ...stored, ...stored, ...stored, ...known],
  ],
  [gemsFormat, 'versions', 'info/nobody', [...stored, ...known]],
];

const contracts = { debian: getDebianDocument, rpm: getRpmDocument, gems: getGemsDocument } as const;

describe('A read that makes a generation and is killed', () => {
  it.each(shareOf(made, 3).map((each) => [each[0].packageType, ...each] as const))(
    'leaves nothing half made of %s: the next read shows all',
    async (_, format, document, warm, calls) => {
      const { world, client, runner } = service;
      const [workspace, { bearer: as }] = [await world.workspace(), await world.systemAdmin()];
      const repository = await world.repository(workspace, undefined, format.packageType);
      const contract = contracts[format.packageType as keyof typeof contracts];
      const published: VersionAddress[] = [];
      const get = async (path: string) =>
        client.attempt(contract, { params: paramsOf({ workspace, repository }, path), as });
      const read = async () => get(document);
      // The first start, and the key that signs, take their time.
      await whenAvailable(async () => get(warm));
      const shown = async ({ name }: VersionAddress) => {
        if (format !== gemsFormat) return format.versions(service, { workspace, repository, name, as });
        return (await read()).text.includes(`\n${name} 1.0.0 `) ? ['1.0.0'] : undefined;
      };
      await killEverywhere(
        service,
        {
          functionId: contract.id,
          prepare: async () => {
            const address = { workspace, repository, name: uniqueName('killed'), version: '1.0.0', as };
            const { status, text } = await format.publish(service, address, address.name);
            if (status !== 201) throw new Error(text);
            published.push(address);
          },
          act: async () => (await read()).status === 200,
          check: async () => {
            for (const each of published) expect([each.name, await shown(each)]).toEqual([each.name, ['1.0.0']]);
          },
        },
        { calls, atOnce: format === rpmFormat, bystander: async () => {} },
      );
      await client.succeed(deleteContent, { params: { workspace: workspace.id, repository: repository.id }, as });
      for (let day = 0; day < 3; day += 1) {
        expect(await runner.runScheduled('sweeper')).toBe(true);
        await passADay();
      }
      expect(await runner.runScheduled('sweeper')).toBe(true);
      expect(await brokenContent(service)).toEqual([]);
      const left = (await remains(service)).filter((key) => key.includes(repository.id) || key.includes(workspace.id));
      expect(left).toEqual([]);
    },
  );
});
