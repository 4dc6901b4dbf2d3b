import { digestOf, useImages } from '../../harness/images.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createRemote, createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();
const images = useImages(service);

const nameOf = (image: string, { name } = images.setting.repository): string =>
  `${images.setting.workspace.name}/${name}/${image}`;

const mount = async (image: string, digest: string, from: string, as?: string) =>
  images.send('POST', `${image}/blobs/uploads/?mount=${digest}&from=${from}`, { as });

describe('POST /v2/{workspace}/{repository}/{image}/blobs/uploads/', () => {
  itAnswers('202 with the address at which the upload goes on', async () => {
    const answer = await images.send('POST', 'app/blobs/uploads/');
    const { headers } = answer;
    expect(headers.location).toMatch(/^\/v2\/[^/]+\/[^/]+\/app\/blobs\/uploads\/[0-9a-f-]{36}\?state=0\./);
    expect([headers.range, headers['oci-chunk-min-length']]).toEqual(['0-0', '5242880']);
    return answer;
  });

  itAnswers('201 for a blob in the request itself, also an empty one, and again', async () => {
    const bytes = uniqueName('bytes');
    const push = async (content: string) =>
      images.send('POST', `whole/blobs/uploads/?digest=${digestOf(content)}`, { body: content });
    const answers = [await push(bytes), await push(bytes), await push('')];
    expect((await images.get(String(answers[0]?.headers.location))).text).toBe(bytes);
    return answers;
  });

  itAnswers('400 PACKAGE_INVALID for other bytes or another algorithm', async () => {
    const answers = [
      await images.send('POST', `wrong/blobs/uploads/?digest=${digestOf('one')}`, { body: 'other' }),
      await images.send('POST', `wrong/blobs/uploads/?digest=sha512:${'0'.repeat(128)}`, { body: 'x' }),
      await images.send('POST', 'wrong/blobs/uploads/?digest-algorithm=sha512'),
    ];
    expect(JSON.parse(answers[0]?.text ?? '')).toMatchObject({ errors: [{ code: 'DIGEST_INVALID' }] });
    expect((await images.get(`wrong/blobs/${digestOf('one')}`)).status).toBe(404);
    return answers;
  });

  itAnswers('201 for a blob that is taken over from another image of the workspace', async () => {
    const bytes = uniqueName('bytes');
    await images.pushBlob('source', bytes);
    const answer = await mount('target', digestOf(bytes), nameOf('source'));
    expect(answer.headers.location).toBe(`${images.base()}/target/blobs/${digestOf(bytes)}`);
    expect((await images.get(String(answer.headers.location))).text).toBe(bytes);
    return answer;
  });

  itAnswers('201 for a blob that a pull through the virtual repository in from would find', async () => {
    const { setting } = images;
    const first = await service.world.repository(setting.workspace, undefined, 'docker');
    const children = [first, setting.repository];
    const virtual = await createVirtual(service, setting.workspace, children, { packageType: 'docker' });
    const member = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, virtual, member, 'canView');
    const target = await service.world.repository(setting.workspace, undefined, 'docker');
    await service.world.grant(setting.workspace, target, member, 'canDeploy');
    const bytes = uniqueName('bytes');
    await images.pushBlob('source', bytes);
    const path = `app/blobs/uploads/?mount=${digestOf(bytes)}&from=${nameOf('source', virtual)}`;
    const answer = await images.send('POST', path, { as: member.bearer, repository: target });
    expect((await images.get(`app/blobs/${digestOf(bytes)}`, { repository: target })).text).toBe(bytes);
    return answer;
  });

  itAnswers(
    '202 through a virtual repository whose children alone the caller may read, or none of which has it',
    async () => {
      const { setting } = images;
      const virtual = await createVirtual(service, setting.workspace, [setting.repository], { packageType: 'docker' });
      const member = await service.world.member(setting.workspace);
      await service.world.grant(setting.workspace, setting.repository, member, 'canDeploy');
      const bytes = uniqueName('bytes');
      await images.pushBlob('source', bytes);
      return [
        await mount('target', digestOf(bytes), nameOf('source', virtual), member.bearer),
        await mount('target', digestOf('nobody'), nameOf('source', virtual)),
      ];
    },
  );

  itAnswers('202 where there is nothing to take over, or the caller may not read it', async () => {
    const { setting } = images;
    const bytes = uniqueName('bytes');
    const hidden = await service.world.repository(setting.workspace, undefined, 'docker');
    await images.pushBlob('secret', bytes, { repository: hidden });
    const elsewhere = await service.world.workspace();
    const member = await service.world.member(setting.workspace);
    await service.world.grant(setting.workspace, setting.repository, member, 'canDeploy');
    const from = nameOf('secret', hidden);
    const machine = await service.world.workspaceToken(setting.workspace, 'canDeploy', [setting.repository]);
    const answers = [
      await mount('target', digestOf(bytes), from, member.bearer),
      await mount('target', digestOf(bytes), from, machine.bearer),
      await mount('target', digestOf(bytes), `${setting.workspace.id}/${hidden.id}/secret`, member.bearer),
      await mount('target', digestOf(bytes), from.toUpperCase(), member.bearer),
      await mount('target', digestOf(bytes), nameOf(`x/../../${hidden.name}/secret`), member.bearer),
      await mount('target', digestOf('nobody'), from),
      await mount('target', digestOf(bytes), nameOf('other', hidden)),
      await mount('target', digestOf(bytes), `${elsewhere.name}/${hidden.name}/secret`),
      await images.send('POST', `target/blobs/uploads/?mount=${digestOf(bytes)}`),
    ];
    expect((await images.get(`target/blobs/${digestOf(bytes)}`)).status).toBe(404);
    expect((await mount('target', digestOf(bytes), from)).status).toBe(201);
    return answers;
  });

  itAnswers('403 FORBIDDEN for who may only view', async () => {
    const viewer = await service.world.member(images.setting.workspace);
    await service.world.grant(images.setting.workspace, images.setting.repository, viewer, 'canView');
    return images.send('POST', 'app/blobs/uploads/', { as: viewer.bearer });
  });

  itAnswers('400 REPOSITORY_READ_ONLY for a remote repository', async () => {
    const remote = await createRemote(service, images.setting.workspace, { packageType: 'docker' });
    return images.send('POST', 'app/blobs/uploads/', { repository: remote });
  });
});
