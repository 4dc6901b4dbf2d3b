import { publishPackage } from '../../../functions/packages/contracts.ts';
import { Table } from '../../../shared/table/client.ts';
import { blobKey } from '../../../shared/table/keys.ts';
import { sha256 } from '../../harness/bytes.ts';
import { passADay } from '../../harness/due-blobs.ts';
import { usePackageWorld } from '../../harness/packages.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';
import { formOf, useUploads } from '../../harness/uploads.ts';
import { type Named, uniqueName } from '../../harness/world.ts';
import { fileOf, MavenWorkspace, newArtifact } from './repository.ts';

/** Publishing the files of a SNAPSHOT again, of which some have the bytes that they had, or that others had. */

const service = useService();
const world = usePackageWorld(service);
const uploads = useUploads(service, world);
let maven: MavenWorkspace;
let repository: Named;

beforeAll(async () => {
  maven = new MavenWorkspace(service, world.workspace, world.admin);
  repository = await maven.local();
});

/** What the files of a version have, by the endings of their names. */
type Contents = Readonly<Record<string, string>>;

/** A SNAPSHOT, published by a form or by a session with the same POM each time. */
const newSnapshot = () => {
  const artifact = newArtifact();
  const id = artifact.split('/').at(-1) ?? '';
  const pom = `<project><groupId>org.acme</groupId><artifactId>${id}</artifactId><version>1-SNAPSHOT</version></project>`;
  const filesOf = (contents: Contents): Contents => ({
    'pom.xml': pom,
    ...Object.fromEntries(Object.entries(contents).map(([end, content]) => [`${id}-1-SNAPSHOT${end}`, content])),
  });
  return {
    byForm: async (contents: Contents): Promise<number> => {
      const bytes = formOf(Object.entries(filesOf(contents)).map(([file, content]) => ({ file, content })));
      const params = world.params({ repository: repository.id });
      return (await service.client.attempt(publishPackage, { params, bytes, as: world.admin.bearer })).status;
    },
    bySession: async (contents: Contents): Promise<number> => {
      const options = { repository, isNamed: false };
      return (await uploads.complete((await uploads.arrived(filesOf(contents), options)).id, options)).status;
    },
    textOf: async (end: string): Promise<string> =>
      (await maven.get(repository, fileOf(artifact, '1-SNAPSHOT', end))).text,
    pom,
  };
};

const referencesTo = async (content: string): Promise<number | undefined> => {
  const key = blobKey(world.workspace.id, sha256(content));
  return (await new Table().read([key])).find(key)?.references;
};

const sweepADayLater = async (): Promise<void> => {
  await passADay();
  expect(await service.runner.runScheduled('sweeper')).toBe(true);
};

describe('A SNAPSHOT that is published again', () => {
  it.each(['byForm', 'bySession'] as const)(
    'has a new jar beside the same POM, %s, and the sweeper takes the old jar alone',
    async (way) => {
      const { [way]: publish, textOf, pom } = newSnapshot();
      const [first, second] = [uniqueName('first'), uniqueName('second')];
      expect([await publish({ '.jar': first }), await publish({ '.jar': second })]).toEqual([201, 201]);
      expect([await textOf('.jar'), await textOf('.pom')]).toEqual([second, pom]);
      expect([await referencesTo(first), await referencesTo(second), await referencesTo(pom)]).toEqual([0, 1, 1]);
      await sweepADayLater();
      expect(await referencesTo(first)).toBeUndefined();
      expect([await textOf('.jar'), await textOf('.pom')]).toEqual([second, pom]);
      expect(await brokenContent(service)).toEqual([]);
    },
  );

  it('may swap the bytes of two files', async () => {
    const { byForm, textOf } = newSnapshot();
    const [one, other] = [uniqueName('one'), uniqueName('other')];
    expect(await byForm({ '.jar': one, '-sources.jar': other })).toBe(201);
    expect(await byForm({ '.jar': other, '-sources.jar': one })).toBe(201);
    expect([await textOf('.jar'), await textOf('-sources.jar')]).toEqual([other, one]);
    await sweepADayLater();
    expect([await referencesTo(one), await referencesTo(other)]).toEqual([1, 1]);
    expect([await textOf('.jar'), await textOf('-sources.jar')]).toEqual([other, one]);
  });

  it('may have bytes in more files than before, and in fewer', async () => {
    const { byForm, textOf } = newSnapshot();
    const [shared, other] = [uniqueName('shared'), uniqueName('other')];
    const each = { '.jar': shared, '-one.jar': shared, '-two.jar': shared };
    expect(await byForm({ '.jar': shared, '-one.jar': other, '-two.jar': other })).toBe(201);
    expect(await byForm(each)).toBe(201);
    expect([await referencesTo(shared), await referencesTo(other)]).toEqual([3, 0]);
    expect(await byForm({ ...each, '-one.jar': other, '-two.jar': other })).toBe(201);
    expect([await referencesTo(shared), await referencesTo(other)]).toEqual([1, 2]);
    await sweepADayLater();
    expect([await textOf('.jar'), await textOf('-two.jar')]).toEqual([shared, other]);
    expect(await brokenContent(service)).toEqual([]);
  });
});
