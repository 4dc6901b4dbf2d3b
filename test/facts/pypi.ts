import { publishPypiFile } from '../../functions/pypi/contracts.ts';
import { repositoryDeployers, repositoryViewers } from '../harness/callers.ts';
import type { FactsOf, Make } from '../harness/endpoint-facts.ts';
import type { Fixture } from '../harness/fixture.ts';
import { sdistName, sdistOf, uploadForm, wheelName, wheelOf } from '../harness/pypi.ts';
import { typedRepository } from '../harness/repositories.ts';
import { uniqueName } from '../harness/world.ts';
import { deleteVersion, ofPackages } from './of-packages.ts';

/** The form of a new version with one wheel. */
const newWheel = (name = uniqueName('project')) => {
  const each = { name, version: '1.0.0' };
  return { file: wheelName(each), bytes: uploadForm(wheelName(each), wheelOf(each), each) };
};

const repositoryOf = async (fixture: Fixture) => ({ repository: (await typedRepository(fixture, 'pypi')).name });

const publish = async (fixture: Fixture, bytes: ReturnType<typeof uploadForm>): Promise<void> => {
  const { client, workspace, systemAdmin } = fixture;
  const params = { workspace: workspace.id, ...(await repositoryOf(fixture)) };
  const answer = await client.attempt(publishPypiFile, { params, bytes, as: systemAdmin.bearer });
  if (answer.status !== 200) throw new Error(`The wheel was not published: ${answer.text}`);
};

/** A path that names a project of the fixture's repository. */
const published =
  (pathOf: (name: string, file: string) => string): Make =>
  async (fixture) => {
    const name = uniqueName('project');
    const { file, bytes } = newWheel(name);
    await publish(fixture, bytes);
    return { params: { ...(await repositoryOf(fixture)), path: pathOf(name, file) } };
  };

const firstFile: Make = async (fixture) => {
  const name = uniqueName('project');
  const { bytes } = newWheel(name);
  await publish(fixture, bytes);
  const { repository } = await repositoryOf(fixture);
  await deleteVersion(fixture, repository, { name, version: '1.0.0' });
  return { params: { repository }, bytes };
};

/** A file for a version that exists changes its entry in the index. */
const secondFile: Make = async (fixture) => {
  const each = { name: uniqueName('project'), version: '1.0.0' };
  const [wheel, sdist] = [newWheel(each.name).bytes, uploadForm(sdistName(each), await sdistOf(each), each)];
  for (const bytes of [wheel, sdist]) await publish(fixture, bytes);
  const { repository } = await repositoryOf(fixture);
  await deleteVersion(fixture, repository, each);
  await publish(fixture, wheel);
  return { params: { repository }, bytes: sdist };
};

export const pypi: FactsOf<'pypi'> = {
  'pypi/get-pypi-document': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: published((name) => `simple/${name}/`),
    otherWays: [published((name, file) => `files/${name}/1.0.0/${file}`), published(() => 'simple/')],
    ...ofPackages,
  },
  'pypi/get-pypi-project': {
    answers: repositoryViewers('200'),
    cost: 'item',
    request: published((name) => `${name}/json`),
    ...ofPackages,
  },
  'pypi/publish-pypi-file': {
    answers: repositoryDeployers('200'),
    cost: 'publication',
    request: firstFile,
    otherWays: [secondFile],
    ...ofPackages,
  },
};
