import { getUniversalFile, publishUniversalFile } from '../../../functions/universal/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { createVirtual } from '../../harness/repositories.ts';
import { useService } from '../../harness/service.ts';
import { type Named, uniqueName } from '../../harness/world.ts';

const service = useService();
let workspace: Named;
let [first, second]: (Named | undefined)[] = [];
let virtual: Named;

beforeAll(async () => {
  workspace = await service.world.workspace();
  first = await service.world.repository(workspace, uniqueName('files'), 'universal');
  second = await service.world.repository(workspace, uniqueName('files'), 'universal');
  virtual = await createVirtual(service, workspace, [first, second], { packageType: 'universal' });
});

type Header = readonly [string, string];

const send = async (
  contract: typeof getUniversalFile | typeof publishUniversalFile,
  repository: Named | undefined,
  tail: string,
  { headers = [], ...request }: { headers?: readonly Header[]; body?: string; method?: string } = {},
) => {
  const { bearer } = await service.world.systemAdmin();
  const path = `/universal/${workspace.name}/${repository?.name ?? ''}/${tail}`;
  return service.client.sendTo(contract, { ...request, path, headers: [['Authorization', bearer], ...headers] });
};

const publish = (repository: Named | undefined, tail: string, body: string) =>
  send(publishUniversalFile, repository, tail, { body });
const get = (repository: Named | undefined, tail: string, headers: readonly Header[] = []) =>
  send(getUniversalFile, repository, tail, { headers });

describe('GET /universal/{workspace}/{repository}/{path+}', () => {
  itAnswers('200 through a virtual repository from the first child that has the file', async () => {
    const [tail, only] = [`${uniqueName()}/1.0.0/file`, `${uniqueName()}/1.0.0/file`];
    await publish(second, tail, 'second');
    await publish(first, tail, 'first');
    await publish(second, only, 'only there');
    const answers = [await get(virtual, tail), await get(virtual, only)];
    expect(answers.map(({ text }) => text)).toEqual(['first', 'only there']);
    expect(answers.map(({ headers }) => headers['x-stockroom-origin'])).toEqual([first?.name, second?.name]);
    return answers;
  });

  it('answers 304, ranges and what lies beyond the end', async () => {
    const tail = `${uniqueName()}/1.0.0/file`;
    await publish(first, tail, '0123456789');
    const { headers } = await get(first, tail);
    const answers = await Promise.all([
      get(first, tail, [['If-None-Match', String(headers.etag)]]),
      get(first, tail, [['Range', 'bytes=2-4']]),
      get(first, tail, [['Range', 'bytes=-3']]),
      get(first, tail, [['Range', 'bytes=20-']]),
    ]);
    expect(answers.map(({ status, text }) => [status, text])).toEqual([
      [304, ''],
      [206, '234'],
      [206, '789'],
      [416, ''],
    ]);
  });

  itAnswers('404 FILE_NOT_FOUND for a file that there is not', async () => get(virtual, `${uniqueName()}/1.0.0/file`));
});
