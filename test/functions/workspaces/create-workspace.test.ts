import { createWorkspace } from '../../../functions/workspaces/contracts.ts';
import { itAnswers } from '../../harness/it-answers.ts';
import { useService } from '../../harness/service.ts';
import { uniqueName } from '../../harness/world.ts';

const service = useService();

const create = async (body: unknown) => {
  const { bearer } = await service.world.systemAdmin();
  return service.client.attempt(createWorkspace, { body, as: bearer });
};

describe('POST /1/workspaces', () => {
  itAnswers('201 with the full record and where to find it', async () => {
    const name = uniqueName();
    const answer = await create({ name, comments: 'Builds of the Acme team' });
    expect(answer.result).toMatchObject({ name, comments: 'Builds of the Acme team', repositoryCount: 0 });
    expect(answer.result?.workspaceId).toBe(answer.result?.id);
    expect(Date.parse(answer.result?.createdAt ?? '')).toBeGreaterThan(Date.now() - 10_000);
    return answer;
  });

  itAnswers('201 with comments that the client calls comment', async () => {
    const answer = await create({ name: uniqueName(), comment: 'Builds of the Acme team' });
    expect(answer.result).toMatchObject({ comments: 'Builds of the Acme team' });
    expect(answer.result).not.toHaveProperty('comment');
    return answer;
  });

  itAnswers('400 REQUEST_INVALID with both names of the comments, and for a comment that is too long', async () => {
    const both = await create({ name: uniqueName(), comments: 'one', comment: 'two' });
    expect(both.problem?.errors).toEqual(['comment is another name of comments: send one of them.']);
    return [both, await create({ name: uniqueName(), comment: 'x'.repeat(51) })];
  });

  itAnswers('201 without comments, which are then empty', async () => {
    const answer = await create({ name: uniqueName() });
    expect(answer.result?.comments).toBe('');
    return answer;
  });

  itAnswers('201 for each legal shape of a name', async () =>
    Promise.all(['a', '0', 'a.b', 'a--b', '1.2.3', '0-', 'x'.repeat(30)].map((name) => create({ name: legal(name) }))),
  );

  itAnswers('409 WORKSPACE_NAME_TAKEN when the name is taken', async () => {
    const name = uniqueName();
    await create({ name });
    const answer = await create({ name, comments: 'another' });
    expect(answer.problem?.detail).toBe(`A workspace named '${name}' already exists.`);
    return answer;
  });

  itAnswers('400 REQUEST_INVALID for each name that breaks the rule', async () => {
    const names = [
      '',
      '-',
      'a-',
      '-a',
      '.a',
      'a.',
      'A',
      'a_b',
      'a b',
      'a/b',
      'é',
      'аcme',
      'a\n',
      'x'.repeat(31),
      1,
      null,
      true,
    ];
    const answers = await Promise.all(names.map((name) => create({ name })));
    for (const { problem } of answers)
      expect(problem?.violations).toEqual([expect.objectContaining({ pointer: '/name', message: nameSentence })]);
    return answers;
  });

  itAnswers('400 REQUEST_INVALID with every violation at once, each one a sentence about its field', async () => {
    const answer = await create({ comments: 'x'.repeat(51), colour: 'red' });
    expect(answer.problem?.violations).toEqual(
      expect.arrayContaining([
        {
          pointer: '/name',
          rule: 'required',
          message: expect.stringMatching(/^name is required: it must be 1 to 30 /),
        },
        {
          pointer: '/comments',
          rule: 'maxLength',
          message: 'comments must be a string of at most 50 characters, or null.',
        },
        {
          pointer: '/colour',
          rule: 'unknown',
          message:
            'colour is not a field of this request. The fields are name, comments, comment, storageLimit, packageLimit and bandwidthLimit.',
        },
      ]),
    );
    expect(answer.problem?.errors).toHaveLength(3);
    return answer;
  });

  itAnswers('201 with comments of 50 characters beyond the basic plane', async () =>
    create({ name: uniqueName(), comments: '😀'.repeat(50) }),
  );

  itAnswers('403 FORBIDDEN for a user who is no system admin', async () => {
    const { bearer } = await service.world.user();
    return service.client.call(createWorkspace, { body: { name: uniqueName() }, as: bearer });
  });

  it('lets one of 32 concurrent creates of a name win', async () => {
    const name = uniqueName();
    const answers = await Promise.all(Array.from({ length: 32 }, () => create({ name })));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.code === 'WORKSPACE_NAME_TAKEN')).toHaveLength(31);
  });
});

const nameSentence =
  'name must be 1 to 30 lowercase letters, digits, dots and hyphens, starting and ending with a letter or digit.';

/** Ends where a name may end. */
const legal = (name: string): string => (name.endsWith('-') ? `${name}0` : name);
