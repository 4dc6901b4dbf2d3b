import { getDistTags } from '../../../functions/npm/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useNpmRegistry } from '../../harness/npm-registry.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const registry = useNpmRegistry(service);

describe('GET /npm/{workspace}/{repository}/-/package/{path+}', () => {
  itAnswers('200 with each tag and its version, in the local and the virtual repository', async () => {
    const name = uniqueName('package');
    await registry.publish(name);
    const answers = await Promise.all(
      [registry.local, registry.virtual].map((repository) =>
        registry.send(getDistTags, `-/package/${name}/dist-tags`, { repository }),
      ),
    );
    for (const { text } of answers) expect(JSON.parse(text)).toEqual({ latest: '1.0.0' });
    return answers;
  });
  itAnswers('404 PACKAGE_NOT_FOUND for an unknown package', async () =>
    registry.send(getDistTags, `-/package/${uniqueName('package')}/dist-tags`),
  );
});
