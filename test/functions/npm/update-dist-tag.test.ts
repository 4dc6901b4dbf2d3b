import { getDistTags, updateDistTag } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const registry = useNpmRegistry(service);

const tag = (name: string, tagName: string, json: unknown) =>
  registry.send(updateDistTag, `-/package/${name}/dist-tags/${tagName}`, { method: 'PUT', json });

describe('PUT /npm/{workspace}/{repository}/-/package/{path+}', () => {
  itAnswers('201 for a new tag and for one that moves, which the next read shows', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    await registry.publish(name, '1.1.0');
    const answers = [await tag(name, 'beta', '1.0.0'), await tag(name, 'beta', '1.1.0')];
    const { text } = await registry.send(getDistTags, `-/package/${name}/dist-tags`);
    expect(JSON.parse(text)).toEqual({ latest: '1.1.0', beta: '1.1.0' });
    return answers;
  });
  itAnswers('404 VERSION_NOT_FOUND for a version that there is not', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    return tag(name, 'beta', '9.9.9');
  });
  itAnswers('400 PACKAGE_INVALID for a tag that is a version, and for a version that is none', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    return [await tag(name, '1.0.0', '1.0.0'), await tag(name, 'beta', 'latest'), await tag(name, 'beta', 7)];
  });
});
