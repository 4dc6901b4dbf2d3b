import { getConanSearch } from '../../../functions/conan/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { useConan } from '../../types/conan.ts';

const service = useService();
const { setting, search, send, publishedRecipe } = useConan(service);

describe('GET /conan/{workspace}/{repository}/v2/conans/search', () => {
  it('finds the versions of a package in the order of Conan, each once', async () => {
    const name = uniqueName('lib');
    for (const version of ['1.10', '1.2', '1.2-rc1', '1.2.1', '1.2+1'])
      for (const code of ['one', 'other']) await publishedRecipe({ name, version, code });
    await publishedRecipe({ name, version: '1.2', place: 'me/stable' });
    await publishedRecipe({ name: `${name}-other` });
    expect(await search(`${name}/*`)).toEqual(
      ['1.2-rc1', '1.2', '1.2@me/stable', '1.2+1', '1.2.1', '1.10'].map((version) => `${name}/${version}`),
    );
  });

  it('takes patterns of fnmatch over a recipe, or over its beginning up to one of its parts', async () => {
    const [name, other] = [uniqueName('lib'), uniqueName('lib')];
    for (const version of ['1.0', '1.1', '2.0']) await publishedRecipe({ name, version });
    await publishedRecipe({ name, version: '1.0', place: 'me/stable' });
    await publishedRecipe({ name: other, version: '1.0' });
    const found = async (pattern: string) =>
      (await search(pattern)).filter((recipe) => recipe.startsWith(name)).map((recipe) => recipe.slice(name.length));
    expect(await found(name)).toEqual(['/1.0', '/1.0@me/stable', '/1.1', '/2.0']);
    expect(await found(`${name}/1.0`)).toEqual(['/1.0', '/1.0@me/stable']);
    expect(await found(`${name}/1.[!0]`)).toEqual(['/1.1']);
    expect(await found(`${name}/?.0`)).toEqual(['/1.0', '/1.0@me/stable', '/2.0']);
    expect(await found(`${name}/*@me/*`)).toEqual(['/1.0@me/stable']);
    expect(await found(`${name.slice(0, -1)}?/2*`)).toEqual(['/2.0']);
    expect(await found(`*${name.slice(2)}/2.0`)).toEqual(['/2.0']);
    expect(await found(name.toUpperCase())).toHaveLength(4);
    expect(await found('*')).toHaveLength(4);
    expect(await search(`${other}/2*`)).toEqual([]);
    expect((await search()).filter((recipe) => recipe.startsWith(name))).toHaveLength(4);
  });

  it('respects the case with ignorecase=False', async () => {
    const { name } = await publishedRecipe();
    const query = `q=${name.toUpperCase()}&ignorecase=False`;
    const { text } = await send(getConanSearch, `v2/conans/search?${query}`);
    expect(JSON.parse(text)).toEqual({ results: [] });
  });

  it('finds nothing of a package that nobody has, and answers with JSON', async () => {
    const { headers, text } = await send(getConanSearch, 'v2/conans/search?q=none%2F%2A');
    expect([headers['content-type'], text]).toEqual(['application/json', '{"results":[]}']);
  });

  it('finds the recipes of all children of a virtual repository', async () => {
    const other = await service.world.repository(setting.workspace, undefined, 'conan');
    const { name } = await publishedRecipe();
    await publishedRecipe({ name, version: '2.0' }, { repository: other });
    await publishedRecipe({ name }, { repository: other });
    const repository = await createVirtual(service, setting.workspace, [setting.repository, other], {
      packageType: 'conan',
    });
    for (const pattern of [`${name}/*`, `${name.slice(0, -1)}*`])
      expect((await search(pattern, { repository })).filter((recipe) => recipe.startsWith(name))).toEqual([
        `${name}/1.0`,
        `${name}/2.0`,
      ]);
  });

  itAnswers('400 REQUEST_INVALID for a pattern that is too long', async () =>
    send(getConanSearch, `v2/conans/search?q=${'x'.repeat(501)}`),
  );
});
