import { publishNpmPackage } from '../../../functions/npm/contracts.ts';
import { updateRepository } from '../../../functions/repositories/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { errorOf, serveRegistry, useNpmRepository } from '../../harness/npm.ts';
import { useRemotes } from '../../harness/remote-repositories.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const { service, upstream } = useRemotes();
const npm = useNpmRepository(service);

/** A virtual repository over the upload target, another local child and an upstream, each with a version of the package. */
const newPlace = async () => {
  const { workspace, repository: target, admin } = npm.setting;
  const name = uniqueName('package');
  const [other, remote] = await Promise.all([
    service.world.repository(workspace),
    createRemote(service, workspace, { remoteRepositoryUrl: upstream.url }),
  ]);
  upstream.answer = serveRegistry(upstream, {
    [name]: {
      '3.0.0': {},
      '3.1.0': { manifest: { deprecated: 'theirs' } },
      '3.2.0': { manifest: { deprecated: true } },
    },
  });
  await npm.publish({ name });
  await npm.publish({ name, version: '2.0.0' }, other);
  const fields = { uploadLocalRepositoryId: target.id };
  const repository = await createVirtual(service, workspace, [target, other, remote], fields);
  const params = { workspace: workspace.id, repository: repository.id };
  await service.client.succeed(updateRepository, {
    params,
    body: { upstreamNames: { allow: [name] } },
    as: admin.bearer,
  });
  return { name, target, other, repository };
};

/** What `npm deprecate` sends: the document with the message at each version that it means. */
const deprecate = async (name: string, repository: Named, messages: Readonly<Record<string, string>>) => {
  const document = await npm.document(`${name}?write=true`, { repository });
  const changed = Object.entries(messages).map(([version, deprecated]) => [
    version,
    { ...document.versions[version], deprecated },
  ]);
  const body = { ...document, versions: { ...document.versions, ...Object.fromEntries(changed) } };
  return npm.send(publishNpmPackage, name, { body, repository });
};

const deprecationsIn = async (name: string, repository: Named) =>
  Object.entries((await npm.document(name, { repository })).versions).map(([version, { deprecated }]) => [
    version,
    deprecated,
  ]);

describe('npm deprecate at a virtual repository', () => {
  itAnswers('201 for a version of the upload target, whatever the others say', async () => {
    const { name, repository } = await newPlace();
    const answer = await deprecate(name, repository, { '1.0.0': 'ours' });
    expect(await deprecationsIn(name, repository)).toEqual([
      ['1.0.0', 'ours'],
      ['2.0.0', undefined],
      ['3.0.0', undefined],
      ['3.1.0', 'theirs'],
      ['3.2.0', true],
    ]);
    return answer;
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a version of another child, and no version is deprecated', async () => {
    const { name, target, other, repository } = await newPlace();
    const answers = [
      await deprecate(name, repository, { '1.0.0': 'all', '2.0.0': 'all' }),
      await deprecate(name, repository, { '1.0.0': 'all', '3.0.0': 'all' }),
      await deprecate(name, repository, { '3.1.0': '' }),
    ];
    const elsewhere = (version: string) =>
      `${name} ${version} comes from another child of '${repository.name}' than its upload target '${target.name}', and cannot be changed here.`;
    expect(answers.map(errorOf)).toEqual([
      expect.stringContaining(`${name} 2.0.0 is in '${other.name}': send the request there.`) as string,
      elsewhere('3.0.0'),
      elsewhere('3.1.0'),
    ]);
    expect(await deprecationsIn(name, target)).toEqual([['1.0.0', undefined]]);
    return answers;
  });
});
