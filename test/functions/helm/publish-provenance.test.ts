import { publishProvenance } from '../../../functions/helm/contracts.ts';
import { chartOf, errorOf, provenanceOf, useHelmRepository } from '../../harness/helm.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { brokenContent } from '../../harness/stored-packages.ts';

const service = useService();
const helm = useHelmRepository(service);

const publish = async (prov: string, repository = helm.setting.repository) =>
  helm.sendForm(publishProvenance, 'api/prov', { prov }, repository);

describe('POST /helm/{workspace}/{repository}/api/prov', () => {
  itAnswers('201 for the provenance of a chart that is there, as a form or as the whole body', async () => {
    const [one, other] = [await helm.publish(), await helm.publish()];
    const [first, second] = [provenanceOf(one, await chartOf(one)), provenanceOf(other, await chartOf(other))];
    const before = await helm.index();
    const answers = [await publish(first), await helm.send(publishProvenance, 'api/prov', { body: second })];
    expect(answers.map(({ result }) => result)).toEqual([{ saved: true }, { saved: true }]);
    expect((await helm.get(`charts/${one.name}-1.0.0.tgz.prov`)).text).toBe(first);
    expect((await helm.get(`charts/${other.name}-1.0.0.tgz.prov`)).text).toBe(second);
    expect(await helm.index()).toEqual(before);
    expect(await brokenContent(service)).toEqual([]);
    return answers;
  });

  itAnswers('409 VERSION_EXISTS for a second one', async () => {
    const chart = await helm.publish();
    const prov = provenanceOf(chart, await chartOf(chart));
    await publish(prov);
    return publish(`${prov}\n`);
  });

  itAnswers('404 VERSION_NOT_FOUND without the chart, which is published first', async () => {
    const chart = { name: 'missing', version: '1.0.0' };
    const answer = await publish(provenanceOf(chart, await chartOf(chart)));
    expect(errorOf(answer)).toBe('There is no chart missing 1.0.0: publish the chart first.');
    return answer;
  });

  itAnswers('400 PACKAGE_INVALID for the hash of other bytes', async () =>
    publish(provenanceOf(await helm.publish(), Buffer.from('other'))),
  );

  itAnswers('400 PACKAGE_INVALID for one that lacks a field of the chart, and says where', async () => {
    const chart = await helm.publish();
    const answer = await publish(provenanceOf(chart, await chartOf(chart)).replace(/^version: .*\n/m, ''));
    expect(errorOf(answer)).toBe('The first part of the provenance must have a version.');
    return answer;
  });

  itAnswers('400 BODY_MALFORMED for what is no provenance file', async () => [
    await publish('no message'),
    await publish('-----BEGIN PGP SIGNED MESSAGE-----\n\nname: a\n-----BEGIN PGP SIGNATURE-----\n'),
  ]);

  itAnswers('400 REPOSITORY_READ_ONLY if the chart is in another child of the virtual repository', async () => {
    const { workspace, repository } = helm.setting;
    const target = await service.world.repository(workspace, undefined, 'helm');
    const virtual = await createVirtual(service, workspace, [target, repository], {
      packageType: 'helm',
      uploadLocalRepositoryId: target.id,
    });
    const chart = await helm.publish();
    return publish(provenanceOf(chart, await chartOf(chart)), virtual);
  });
});
