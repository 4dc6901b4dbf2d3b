import { endpoints } from '../../functions/endpoints.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';

jest.setTimeout(120_000);

const service = useService();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

/** A form of parts, as short as it can be. */
const formOf = (...parts: readonly (readonly [disposition: string, content: string])[]): string =>
  [
    ...parts.map(([disposition, content]) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}`),
    '--b--\r\n',
  ].join('\r\n');

const field = ['name="field"', 'of a client'] as const;
const ignored = ['name="none"; filename="x"', 'y'] as const;

/** Of each endpoint that takes a form: the type of its repository, and its file. */
const forms: Readonly<Record<string, readonly [packageType: string, disposition: string]>> = {
  'packages/publish-package': ['universal', 'name="packageFiles"; filename="a"'],
  'pypi/publish-pypi-file': ['pypi', 'name="content"; filename="a-1.0.tar.gz"'],
  'helm/publish-chart': ['helm', 'name="chart"; filename="a"'],
  'helm/publish-provenance': ['helm', 'name="prov"; filename="a"'],
};

const takingForms = endpoints.filter(
  (contract: Contract) => contract.request?.kind === 'form' || contract.request?.kind === 'multipart',
);

/** `npm run test:formats` cuts the forms of all of them; `npm test` those of two, others every day. */
const cutForms = (turn: number): readonly Contract[] =>
  process.env.ALL_CUTS ? takingForms : sampleOf(takingForms, today + turn, 2);

/** Sends a body up to each of its positions, and asks in between for what the function shares its thread with. */
const sendCut = async (contract: Contract, repository: Named, body: string) => {
  const params = { workspace: workspace.id, repository: repository.id };
  const send = async (end: number): Promise<Answer> =>
    service.client.attempt(contract, {
      params,
      bytes: { content: body.slice(0, end), mediaType: 'multipart/form-data; boundary=b' },
      as: admin.bearer,
      mayFail: true,
    });
  const answers: Answer[] = [];
  const innocent: number[] = [];
  // The two characters behind the last boundary belong to no part.
  for (let begin = 0; begin <= body.length - 3; begin += 8) {
    const ends = Array.from({ length: Math.min(8, body.length - 2 - begin) }, (_, index) => begin + index);
    const others = [0, 1].map(() => service.client.attempt(getCurrentUser, { as: admin.bearer, mayFail: true }));
    answers.push(...(await Promise.all(ends.map(send))));
    innocent.push(...(await Promise.all(others)).map(({ status }) => status));
  }
  return { answers, innocent };
};

const errorsSince = (begin: number): readonly string[] =>
  service.logs.slice(begin).filter((line) => line.includes('"level":"ERROR"'));

describe('A form that is cut', () => {
  it('is known here of each endpoint that takes one', () => {
    expect(takingForms.map(({ id }) => id).toSorted()).toEqual(Object.keys(forms).toSorted());
  });

  it.each([
    ['a part that nobody reads', (file: readonly [string, string]) => formOf(ignored, file), 0],
    ['a file', (file: readonly [string, string]) => formOf(file), 1],
    ['a field on both sides of a file', (file: readonly [string, string]) => formOf(field, file, field), 2],
  ] as const)(
    'with %s is answered 400 at each position, and takes no other request with it',
    async (_, bodyOf, turn) => {
      for (const contract of cutForms(turn)) {
        const [packageType = '', disposition = ''] = forms[contract.id] ?? [];
        const repository = await service.world.repository(workspace, undefined, packageType as 'npm');
        const lines = service.logs.length;
        const { answers, innocent } = await sendCut(contract, repository, bodyOf([disposition, 'content']));
        expect([contract.id, [...new Set(answers.map(({ status }) => status))]]).toEqual([contract.id, [400]]);
        expect(new Set(innocent)).toEqual(new Set([200]));
        expect(errorsSince(lines)).toEqual([]);
      }
    },
  );
});

describe('A field in a character set that is not read', () => {
  it.each(takingForms.map((contract) => [contract.id, contract] as const))('is 400 at %s', async (id, contract) => {
    const [packageType = '', disposition = ''] = forms[id] ?? [];
    const repository = await service.world.repository(workspace, undefined, packageType as 'npm');
    const disposedAs = 'name="field"\r\nContent-Type: text/plain; charset=utf-16';
    const { status, code, problem } = await service.client.attempt(contract, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: {
        content: formOf([disposedAs, '1'], [disposition, 'content']),
        mediaType: 'multipart/form-data; boundary=b',
      },
      as: admin.bearer,
      mayFail: true,
    });
    expect([status, code]).toEqual([400, 'BODY_MALFORMED']);
    expect(problem?.detail).toBe(
      'A field of the request body is in a character set that is not read. Send it as UTF-8.',
    );
  });
});
