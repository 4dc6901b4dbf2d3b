import { gzipSync } from 'node:zlib';
import { newToken } from '../../../shared/auth/tokens.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';
import { contentIn, gemOf, gemPath, metadataYaml, useGems, versionsIn } from '../../types/gems.ts';
import { tarOf } from '../../types/tars.ts';

const service = useService();
const { setting, get, push, published } = useGems(service);

/** What `gem` sends with each request. */
const fromGem = { 'User-Agent': 'Ruby, RubyGems/3.3.15 x86_64-linux Ruby/3.1.7' };

describe('POST /gems/{workspace}/{repository}/api/v1/gems', () => {
  itAnswers('200 with a sentence that gem prints', async () => {
    const name = uniqueName('gem');
    const answer = await push(gemOf({ name, version: '1.0.0' }));
    expect(answer.text).toBe(`Published ${name} 1.0.0 to ${setting.repository.name}.\n`);
    return answer;
  });

  itAnswers('200 for a token alone in the Authorization header, as gem sends its key', async () =>
    push(gemOf({ name: uniqueName('gem'), version: '1.0.0' }), { as: setting.admin.bearer.replace('Bearer ', '') }),
  );

  itAnswers('401 UNAUTHENTICATED for another token alone', async () =>
    push(gemOf({ name: uniqueName('gem'), version: '1.0.0' }), { as: newToken() }),
  );

  itAnswers('409 VERSION_EXISTS for versions that RubyGems takes for equal', async () => {
    const name = await published({ version: '1.0' });
    const answers = [];
    for (const version of ['1.0', '1', '1.0.0', '1.00']) answers.push(await push(gemOf({ name, version })));
    return answers;
  });

  itAnswers('200 for each platform of a version, and for a prerelease of it', async () => {
    const name = await published({ version: '1.0.0' });
    const answers = [
      await push(gemOf({ name, version: '1.0.0', platform: 'java' })),
      await push(gemOf({ name, version: '1.0.0', platform: 'x86_64-linux' })),
      await push(gemOf({ name, version: '1.0.0.rc1' })),
    ];
    const { text } = await get(`info/${name}`);
    expect(versionsIn(text)).toEqual(['1.0.0.rc1', '1.0.0', '1.0.0-java', '1.0.0-x86_64-linux']);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for a second spelling of a name', async () => {
    const name = await published({ name: `${uniqueName('gem')}_x` });
    return [
      await push(gemOf({ name: name.replace('_', '-'), version: '1.1.0' })),
      await push(gemOf({ name: name.toUpperCase(), version: '1.1.0' })),
    ];
  });

  it('takes a name with a number behind a hyphen, whose files and documents name its version', async () => {
    const name = await published({ name: `${uniqueName('gem')}-1-tool`, version: '2.0.0', content: 'numbered' });
    expect(contentIn((await get(`gems/${name}-2.0.0.gem`)).text)).toBe('numbered');
    expect((await get(`quick/Marshal.4.8/${name}-2.0.0.gemspec.rz`)).status).toBe(200);
    expect(versionsIn((await get(`info/${name}`)).text)).toEqual(['2.0.0']);
    expect((await get('versions')).text).toContain(`\n${name} 2.0.0 `);
  });

  itAnswers('400 PACKAGE_INVALID for a name that RubyGems refuses, or that reads as another gem', async () => [
    await push(gemOf({ name: '-tool', version: '1.0.0' })),
    await push(gemOf({ name: '123', version: '1.0.0' })),
    await push(gemOf({ name: 'tool-1-java', version: '1.0.0' })),
    await push(gemOf({ name: "'to ol'", version: '1.0.0' })),
  ]);

  itAnswers('400 BODY_MALFORMED for what gem build does not make', async () => {
    const each = { name: 'tool', version: '1.0.0' };
    const metadata = gzipSync(metadataYaml(each));
    return [
      await push(Buffer.from('no gem')),
      await push(gemOf(each).subarray(0, 700)),
      await push(tarOf({ 'metadata.gz': metadata })),
      await push(tarOf({ 'data.tar.gz': 'x' })),
      await push(tarOf({ 'metadata.gz': 'no gzip', 'data.tar.gz': 'x' })),
      await push(tarOf({ 'metadata.gz': gzipSync(Buffer.alloc(5_000_000, 97)), 'data.tar.gz': 'x' })),
      await push(gemOf({ ...each, version: '1.0-2' })),
      await push(gemOf({ ...each, needs: { rake: '=> 1' } })),
      await push(gemOf(each, 'name: [')),
      await push(gemOf(each, '- a list')),
    ];
  });

  itAnswers('400 BODY_MALFORMED for metadata that inflate to more than 4 MiB', async () => {
    const metadata = gzipSync(`${metadataYaml({ name: 'tool', version: '1.0.0' })}# ${' '.repeat(4 * 1024 * 1024)}`);
    const answer = await push(tarOf({ 'metadata.gz': metadata, 'data.tar.gz': 'x' }));
    expect(answer.problem?.detail).toContain('at most 4194304 bytes before that');
    return answer;
  });

  it('tells gem the sentence of a refusal alone, and others its members too', async () => {
    const name = await published();
    const body = gemOf({ name, version: '1.0.0' });
    const ofOthers = await push(body);
    const url = `${service.runner.url}/gems/${setting.workspace.name}/${setting.repository.name}/api/v1/gems`;
    const headers = { ...fromGem, Authorization: setting.admin.bearer };
    const ofGem = await fetch(url, { method: 'POST', headers, body });
    expect([ofGem.status, ofGem.headers.get('content-type')]).toEqual([409, 'text/plain; charset=utf-8']);
    expect(await ofGem.text()).toBe(`${ofOthers.problem?.detail}\n`);
  });

  it('stores the bytes that were sent', async () => {
    const [name, content] = [uniqueName('gem'), 'some bytes'];
    const body = gemOf({ name, version: '1.0.0', content });
    await push(body);
    const { text } = await get(gemPath({ name, version: '1.0.0' }));
    expect(text).toBe(body.toString());
  });
});
