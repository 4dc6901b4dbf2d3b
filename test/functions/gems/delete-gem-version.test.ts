import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { gemOf, gemPath, useGems, versionsIn } from '../../types/gems.ts';

const service = useService();
const { get, push, yank, published } = useGems(service);

describe('DELETE /gems/{workspace}/{repository}/api/v1/gems/yank', () => {
  it('removes one platform of a version from all documents, and its file', async () => {
    const name = await published();
    await published({ name, platform: 'java' });
    const { status, text } = await yank({ gem_name: name, version: '1.0', platform: 'java' });
    expect([status, text.startsWith(`Yanked ${name}-1.0-java from `)]).toEqual([200, true]);
    expect(versionsIn((await get(`info/${name}`)).text)).toEqual(['1.0.0']);
    expect((await get(gemPath({ name, version: '1.0.0', platform: 'java' }))).status).toBe(404);
    expect((await get(gemPath({ name, version: '1.0.0' }))).status).toBe(200);
    await yank({ gem_name: name, version: '1.0.0', platform: 'ruby' });
    expect((await get(`info/${name}`)).code).toBe('PACKAGE_NOT_FOUND');
  });

  it('lets the same bytes come back, and no others', async () => {
    const name = await published({ content: 'one' });
    await yank({ gem_name: name, version: '1.0.0' });
    expect((await push(gemOf({ name, version: '1.0.0', content: 'two' }))).code).toBe('VERSION_EXISTS');
    expect((await push(gemOf({ name, version: '1.0.0', content: 'one' }))).status).toBe(200);
    expect(versionsIn((await get(`info/${name}`)).text)).toEqual(['1.0.0']);
  });

  itAnswers('404 VERSION_NOT_FOUND for a version or a platform that is not there', async () => {
    const name = await published();
    return [
      await yank({ gem_name: name, version: '1.0.1' }),
      await yank({ gem_name: name, version: '1.0.0', platform: 'java' }),
      await yank({ gem_name: name, version: 'one' }),
    ];
  });

  itAnswers('404 PACKAGE_NOT_FOUND for a gem that is not there', async () => [
    await yank({ gem_name: 'nobody', version: '1.0.0' }),
    await yank({ gem_name: 'no body', version: '1.0.0' }),
  ]);

  itAnswers('400 BODY_MALFORMED for a form without a name or a version', async () => [
    await yank({ version: '1.0.0' }),
    await yank({ gem_name: 'tool' }),
  ]);
});
