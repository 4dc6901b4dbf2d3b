import { getCurrentUser } from '../../functions/users/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';
import { errorsSince, field, formFor, formOf, formType, ignored, takingForms } from '../requests/forms.ts';

jest.setTimeout(120_000);

const service = useService({ hasDoor: true });
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

/** So much is too large for a request to the API: the door stages the form. */
const large = 'x'.repeat(5_000_000);

/** A form with a field behind its file, and one in which nobody reads the first part. */
const bodies = (file: string): readonly string[] => [
  formOf([file, large], field),
  formOf([ignored, large], [file, 'content']),
];

/** Positions in the head of the first part, in its content, and in all that follows. The last two characters belong to no part. */
const positionsIn = (body: string): readonly number[] => {
  const behind = body.lastIndexOf('x') + 1;
  const rest = Array.from({ length: Math.floor((body.length - 2 - behind) / 11) }, (_, index) => behind + 11 * index);
  return [20, behind - large.length, behind - 1, ...rest, body.length - 3];
};

const isStaged = ({ request }: Contract): boolean => request !== undefined && 'stagedBytesMax' in request;
const staged = takingForms.filter(isStaged);

/** `npm run test:formats` cuts the forms of all of them; `npm test` those of one, another every day. */
const cutForms = (process.env.ALL_CUTS ? staged : sampleOf(staged, today)).map((each) => [each.id, each] as const);

describe('A large form that is cut', () => {
  it('is known of seven endpoints', () => {
    expect(staged.map(({ id }) => id).toSorted()).toEqual([
      'chocolatey/add-chocolatey-package',
      'chocolatey/publish-chocolatey-package',
      'helm/publish-chart',
      'nuget/publish-nuget-package',
      'nuget/publish-nuget-symbols',
      'packages/publish-package',
      'pypi/publish-pypi-file',
    ]);
  });

  it.each(cutForms)('is 400 at %s wherever it ends, and takes no other request with it', async (_, contract) => {
    const [packageType, file] = formFor(contract);
    const repository = await service.world.repository(workspace, undefined, packageType);
    const lines = service.logs.length;
    const send = async (content: string): Promise<number> => {
      const { status } = await service.client.attempt(contract, {
        params: { workspace: workspace.id, repository: repository.id },
        bytes: { content, mediaType: formType },
        as: admin.bearer,
        mayFail: true,
      });
      return status;
    };
    const askInnocently = async (): Promise<number> => {
      const { status } = await service.client.attempt(getCurrentUser, { as: admin.bearer, mayFail: true });
      return status;
    };
    for (const body of bodies(file))
      for (const end of positionsIn(body))
        expect([end, ...(await Promise.all([send(body.slice(0, end)), askInnocently()]))]).toEqual([end, 400, 200]);
    expect(errorsSince(service, lines)).toEqual([]);
  });
});
