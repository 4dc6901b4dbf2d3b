import { deleteDistTag, getDistTags, updateDistTag } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const registry = useNpmRegistry(service);

describe('DELETE /npm/{workspace}/{repository}/-/package/{path+}', () => {
  itAnswers('200 for a tag, which is then gone, and for one that is gone already', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    await registry.send(updateDistTag, `-/package/${name}/dist-tags/beta`, { method: 'PUT', json: '1.0.0' });
    const remove = () => registry.send(deleteDistTag, `-/package/${name}/dist-tags/beta`, { method: 'DELETE' });
    const answers = [await remove(), await remove()];
    const { text } = await registry.send(getDistTags, `-/package/${name}/dist-tags`);
    expect(JSON.parse(text)).toEqual({ latest: '1.0.0' });
    return answers;
  });
  itAnswers('400 PACKAGE_INVALID for latest, which every package has', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    return registry.send(deleteDistTag, `-/package/${name}/dist-tags/latest`, { method: 'DELETE' });
  });
});
