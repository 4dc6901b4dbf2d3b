import { getCurrentUser } from '../../functions/users/contracts.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';

jest.setTimeout(120_000);

const service = useService({ hasDoor: true });
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

const part = (disposition: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;

/** So much is too large for a request to the API: the door stages the form. */
const large = 'x'.repeat(5_000_000);

/** Of each endpoint whose forms the door stages: the type of the repository, the address of the endpoint and the name of its file. */
const endpoints = {
  'packages/publish-package': [
    'universal',
    (repository: Named) => `/1/workspaces/${workspace.name}/repositories/${repository.name}/packages/single`,
    'name="packageFiles"; filename="a"',
  ],
  'pypi/publish-pypi-file': [
    'pypi',
    (repository: Named) => `/pypi/${workspace.name}/${repository.name}/`,
    'name="content"; filename="a-1.0.tar.gz"',
  ],
  'helm/publish-chart': [
    'helm',
    (repository: Named) => `/helm/${workspace.name}/${repository.name}/api/charts`,
    'name="chart"; filename="a"',
  ],
} as const;

/** `npm run test:formats` cuts the forms of all of them; `npm test` those of one, another every day. */
const inTurnOfDay = process.env.ALL_CUTS ? Object.entries(endpoints) : sampleOf(Object.entries(endpoints), today);

/** A form with a field behind its file, and one in which nobody reads the first part. */
const bodies = (file: string): readonly string[] => [
  `${part(file, large)}${part('name="field"', 'of a client')}--b--\r\n`,
  `${part('name="none"; filename="x"', large)}${part(file, 'content')}--b--\r\n`,
];

/** Positions in the head of the first part, in its content, and in all that follows. The last two characters belong to no part. */
const positionsIn = (body: string): readonly number[] => {
  const behind = body.lastIndexOf('x') + 1;
  const rest = Array.from({ length: Math.floor((body.length - 2 - behind) / 11) }, (_, index) => behind + 11 * index);
  return [20, behind - large.length, behind - 1, ...rest, body.length - 3];
};

describe('A large form that is cut', () => {
  it.each(inTurnOfDay)('is 400 at %s wherever it ends, and takes no other request with it', async (...of) => {
    const [, [packageType, pathOf, file]] = of;
    const repository = await service.world.repository(workspace, undefined, packageType);
    const lines = service.logs.length;
    const send = async (content: string) => {
      const { status } = await fetch(service.runner.url + pathOf(repository), {
        method: 'POST',
        headers: { authorization: admin.bearer, 'content-type': 'multipart/form-data; boundary=b' },
        body: content,
      });
      return status;
    };
    const askInnocently = async () => {
      const { status } = await service.client.attempt(getCurrentUser, { as: admin.bearer, mayFail: true });
      return status;
    };
    for (const body of bodies(file))
      for (const end of positionsIn(body))
        expect([end, ...(await Promise.all([send(body.slice(0, end)), askInnocently()]))]).toEqual([end, 400, 200]);
    expect(service.logs.slice(lines).filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  });
});
