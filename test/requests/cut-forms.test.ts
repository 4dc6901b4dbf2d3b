import { getCurrentUser } from '../../functions/users/contracts.ts';
import type { Contract } from '../../shared/http/contract.ts';
import type { Answer } from '../harness/client.ts';
import { sampleOf, today } from '../harness/sampling.ts';
import { useService } from '../harness/service.ts';
import type { Actor, Named } from '../harness/world.ts';
import { errorsSince, field, formFor, formOf, forms, formType, ignored, type Part, takingForms } from './forms.ts';

jest.setTimeout(120_000);

const service = useService();
let workspace: Named;
let admin: Actor;

beforeAll(async () => {
  workspace = await service.world.workspace();
  admin = await service.world.systemAdmin();
});

/** `npm run test:formats` cuts the forms of all of them; `npm test` those of two, others every day. */
const cutForms = (turn: number): readonly Contract[] =>
  process.env.ALL_CUTS ? takingForms : sampleOf(takingForms, today + turn, 2);

/** Sends a body up to each of its positions, and asks in between for what the function shares its thread with. */
const sendCut = async (contract: Contract, repository: Named, body: string) => {
  const params = { workspace: workspace.id, repository: repository.id };
  const send = async (end: number): Promise<Answer> =>
    service.client.attempt(contract, {
      params,
      bytes: { content: body.slice(0, end), mediaType: formType },
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

describe('A form that is cut', () => {
  it('is known here of each endpoint that takes one', () => {
    expect(takingForms.map(({ id }) => id).toSorted()).toEqual(Object.keys(forms).toSorted());
  });

  it.each([
    ['a part that nobody reads', (file: Part) => formOf([ignored, 'y'], file), 0],
    ['a file', (file: Part) => formOf(file), 1],
    ['a field on both sides of a file', (file: Part) => formOf(field, file, field), 2],
  ] as const)(
    'with %s is answered 400 at each position, and takes no other request with it',
    async (_, bodyOf, turn) => {
      for (const contract of cutForms(turn)) {
        const [packageType, disposition] = formFor(contract);
        const repository = await service.world.repository(workspace, undefined, packageType);
        const lines = service.logs.length;
        const { answers, innocent } = await sendCut(contract, repository, bodyOf([disposition, 'content']));
        expect([contract.id, [...new Set(answers.map(({ status }) => status))]]).toEqual([contract.id, [400]]);
        expect(new Set(innocent)).toEqual(new Set([200]));
        expect(errorsSince(service, lines)).toEqual([]);
      }
    },
  );
});

describe('A field in a character set that is not read', () => {
  it.each(takingForms.map((contract) => [contract.id, contract] as const))('is 400 at %s', async (_, contract) => {
    const [packageType, disposition] = formFor(contract);
    const repository = await service.world.repository(workspace, undefined, packageType);
    const disposedAs = 'name="field"\r\nContent-Type: text/plain; charset=utf-16';
    const { status, code, problem } = await service.client.attempt(contract, {
      params: { workspace: workspace.id, repository: repository.id },
      bytes: {
        content: formOf([disposedAs, '1'], [disposition, 'content']),
        mediaType: formType,
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
