import fc from 'fast-check';
import { codePoint } from '../../harness/bytes.ts';

/** Versions as PEP 440 defines them, made from their parts: this is another way to say what a normal form is. */

const numberText = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.constantFrom('', '0', '00'))
  .map(([number, zeros]) => ({ spelled: `${zeros}${number}`, normal: String(number) }));

/** A text in small or capital letters. */
const anyCase = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((capitals) => Array.from(text, (letter, at) => (capitals[at] ? letter.toUpperCase() : letter)).join(''));

interface Spelled {
  readonly spelled: string;
  readonly normal: string;
}

const none: Spelled = { spelled: '', normal: '' };

const joined = (...parts: readonly Spelled[]): Spelled => ({
  spelled: parts.map(({ spelled }) => spelled).join(''),
  normal: parts.map(({ normal }) => normal).join(''),
});

const separator = fc.constantFrom('', '.', '-', '_');

/** A word and a number, such as `rc1`: the number may be missing, which is 0. */
const labelled = (words: readonly string[], normal: string): fc.Arbitrary<Spelled> =>
  fc
    .tuple(separator, fc.constantFrom(...words).chain(anyCase), separator, fc.option(numberText, { nil: undefined }))
    .map(([before, word, between, number]) => ({
      spelled: before + word + (number ? between + number.spelled : ''),
      normal: normal + (number?.normal ?? '0'),
    }));

const epoch = numberText.map(({ spelled, normal }) => ({
  spelled: `${spelled}!`,
  normal: normal === '0' ? '' : `${normal}!`,
}));

const release = fc.array(numberText, { minLength: 1, maxLength: 4 }).map((numbers) => ({
  spelled: numbers.map(({ spelled }) => spelled).join('.'),
  normal: numbers.map(({ normal }) => normal).join('.'),
}));

const pre = fc.oneof(
  labelled(['a', 'alpha'], 'a'),
  labelled(['b', 'beta'], 'b'),
  labelled(['c', 'rc', 'pre', 'preview'], 'rc'),
);

const post = fc.oneof(
  labelled(['post', 'rev', 'r'], '.post'),
  numberText.map(({ spelled, normal }) => ({ spelled: `-${spelled}`, normal: `.post${normal}` })),
);

const localPart = fc.oneof(
  numberText,
  fc
    .constantFrom('ubuntu', 'cu121', 'a', '0x1f')
    .chain((word) => anyCase(word).map((spelled) => ({ spelled, normal: word }))),
);

const local = fc
  .array(fc.tuple(localPart, fc.constantFrom('.', '-', '_')), { minLength: 1, maxLength: 3 })
  .map((parts) => ({
    spelled: `+${parts.map(([part, before], at) => (at === 0 ? '' : before) + part.spelled).join('')}`,
    normal: `+${parts.map(([part]) => part.normal).join('.')}`,
  }));

const optional = (part: fc.Arbitrary<Spelled>): fc.Arbitrary<Spelled> => fc.option(part, { nil: none });

/** A version in any spelling, and its normal form. */
export const versions = fc
  .tuple(
    fc.constantFrom('', 'v', 'V'),
    optional(epoch),
    release,
    optional(pre),
    optional(post),
    optional(labelled(['dev'], '.dev')),
    optional(local),
  )
  // In "1.0a-1", the number is that of "a", and no version is after it.
  .filter(([, , , before, after]) => !(/[a-z]$/i.test(before.spelled) && /^-\d/.test(after.spelled)))
  .map(([v, ...parts]) => joined({ spelled: v, normal: '' }, ...parts))
  .filter(({ spelled, normal }) => spelled.length <= 128 && normal.length <= 128);

const words = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const separators = fc.stringMatching(/^[-_.]{1,3}$/);

/** A name of a project in two spellings, and its normal form (PEP 503). */
export const names = fc
  .array(fc.tuple(words, separators, separators), { minLength: 1, maxLength: 4 })
  .chain((parts) => {
    const spell = (which: 1 | 2): fc.Arbitrary<string> =>
      anyCase(parts.map((part, at) => (at === 0 ? '' : part[which]) + part[0]).join(''));
    return fc.record({ one: spell(1), other: spell(2), normal: fc.constant(parts.map(([word]) => word).join('-')) });
  });

/** Whether a text is a name of PEP 508, character by character. */
export const isName = (text: string): boolean => {
  const isLetter = (character: string | undefined): boolean =>
    character !== undefined &&
    'abcdefghijklmnopqrstuvwxyz0123456789'.includes(character.toLowerCase()) &&
    character < '\u0080';
  const characters = Array.from(text);
  return (
    characters.length > 0 &&
    characters.length <= 200 &&
    isLetter(characters[0]) &&
    isLetter(characters.at(-1)) &&
    characters.every((character) => isLetter(character) || ['-', '_', '.'].includes(character))
  );
};

/** Texts that could be names, paths or versions, and some that try to be more than that. */
export const anything = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...'aA1.-_+!%#/\\?\0 \u017f\u0130é'.split('')), maxLength: 12 }),
  fc.constantFrom('..', '.', '%2e%2e', '%252e%252e', '%2f', '%5c', '%00', '..%2f', 'simple', 'files', 'unknown'),
);
