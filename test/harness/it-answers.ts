import type { Answer } from './client.ts';

/**
 * A test whose title begins with what is promised, such as `409 REPOSITORY_NAME_TAKEN when the name is taken`: status and code
 * of each answer that the test returns are compared with the title.
 */
export const itAnswers = (title: string, run: () => Promise<Answer | readonly Answer[]>, timeout?: number): void => {
  const [, status, code] = /^(\d{3})(?: ([A-Z]+(?:_[A-Z]+)+|FORBIDDEN|UNAUTHENTICATED))?(?= |$)/.exec(title) ?? [];
  if (status === undefined) throw new Error(`A promise begins with a status and, of a refusal, its code: '${title}'`);
  if (Number(status) >= 400 && code === undefined) throw new Error(`The promise names no error code: '${title}'`);
  it(
    title,
    async () => {
      const answers = [await run()].flat();
      expect(answers).not.toHaveLength(0);
      for (const answer of answers)
        expect({ status: answer.status, code: answer.code, text: answer.text }).toMatchObject({
          status: Number(status),
          code,
        });
    },
    timeout,
  );
};
