import { getNpmSearch } from '../../../functions/npm/contracts.ts';
import { deletePackage } from '../../../functions/packages/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { type NpmRequest, useNpmRepository } from '../../harness/npm.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const npm = useNpmRepository(service);

interface Found {
  readonly total: number;
  readonly objects: readonly { readonly package: { readonly name: string; readonly version: string } }[];
}

const search = async (query: string, request?: NpmRequest) => {
  const answer = await npm.send(getNpmSearch, `-/v1/search?${query}`, request);
  const found = (answer.status === 200 ? JSON.parse(answer.text) : { objects: [] }) as Found;
  return { answer, found, names: found.objects.map((each) => each.package.name) };
};

describe('GET /npm/{workspace}/{repository}/-/v1/search', () => {
  itAnswers('200 with the latest version of what has each word in its name, and who published it', async () => {
    const word = uniqueName('w');
    await npm.publish({ name: `one-${word}`, description: 'Pads', keywords: ['pad'] });
    await npm.publish({ name: `one-${word}`, version: '1.1.0', description: 'Pads better', keywords: ['pad'] });
    await npm.publish({ name: `two-${word}` });
    const { answer, found } = await search(
      `text=one+${word.toUpperCase()}&size=20&from=0&quality=0.65&popularity=0.98`,
    );
    expect(found).toMatchObject({
      total: 1,
      objects: [
        {
          package: {
            name: `one-${word}`,
            version: '1.1.0',
            description: 'Pads better',
            keywords: ['pad'],
            date: expect.stringMatching(/^\d{4}-/) as string,
            publisher: { username: 'admin' },
          },
        },
      ],
    });
    return answer;
  });

  it('gives pages in the order of names, and all of a scope', async () => {
    const scope = uniqueName('scope');
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `@${scope}/${name}`);
    await Promise.all(names.map((name) => npm.publish({ name })));
    await npm.publish({ name: `${scope}-other` });
    expect(await search(`text=scope:${scope}`)).toMatchObject({ names, found: { total: 7 } });
    const page = await search(`text=scope:@${scope}&from=2&size=2`);
    expect(page).toMatchObject({ names: names.slice(2, 4), found: { total: 7 } });
    expect((await search(`text=scope:${scope}&from=7`)).names).toEqual([]);
  });

  it('finds in a virtual repository what its children hold, each name once, as the first child has it', async () => {
    const { workspace, repository: second } = npm.setting;
    const first = await service.world.repository(workspace);
    const name = await npm.publish({ version: '2.0.0' });
    await npm.publish({ name: `${name}-more` });
    await npm.publish({ name }, first);
    const virtual = await createVirtual(service, workspace, [first, second]);
    const { found, names } = await search(`text=${name}`, { repository: virtual });
    expect(names).toEqual([name, `${name}-more`]);
    expect(found.objects[0]?.package.version).toBe('1.0.0');
  });

  it('finds nothing of a package that was deleted', async () => {
    const { workspace, repository, admin } = npm.setting;
    const name = await npm.publish();
    await npm.publish({ name: `${name}-more` });
    const params = { workspace: workspace.id, repository: repository.id, package: name };
    await service.client.succeed(deletePackage, { params, as: admin.bearer });
    expect(await search(`text=${name}`)).toMatchObject({ names: [`${name}-more`], found: { total: 1 } });
  });

  itAnswers('404 REPOSITORY_NOT_FOUND for a repository of another package type', async () => {
    const repository = await service.world.repository(npm.setting.workspace, undefined, 'universal');
    return (await search('text=x', { repository })).answer;
  });
});
