import { createHash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { answerLargeDocument, type DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import { findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import { binariesOf, completeRevision, type ListedRevision, listedRevisions } from './index-entries.ts';
import type { ConanPath } from './paths.ts';
import { type ConanReference, recipeText } from './references.ts';
import { binariesIn, filesIn, revisionIn, revisionsIn, upstreamDocument } from './upstream.ts';

type Entries = LoadedIndex['entries'];

/** What clients ask about a recipe or a binary, and how each source answers. */
interface Question<A> {
  readonly ofLocal: (entries: Entries, reference: ConanReference) => A | undefined;
  readonly ofUpstream: (sent: JsonObject) => A | undefined;
  /** One answer of those that sources gave, in their order. */
  readonly join: (answers: readonly [A, ...A[]]) => A;
}

/** Recipe and binaries of a revision come from one child: the first one that has it answers. */
const first = <A>([answer]: readonly [A, ...A[]]): A => answer;

const latest: Question<ListedRevision> = {
  ofLocal: (entries, reference) => listedRevisions(entries, reference)[0],
  ofUpstream: revisionIn,
  join: first,
};

const revisions: Question<readonly ListedRevision[]> = {
  ofLocal: (entries, reference) => {
    const listed = listedRevisions(entries, reference);
    return listed.length === 0 ? undefined : listed;
  },
  ofUpstream: revisionsIn,
  // The first one is what `latest` answers.
  join: (answers) => {
    const byId = new Map<string, ListedRevision>();
    for (const each of answers.flat()) if (!byId.has(each.revision)) byId.set(each.revision, each);
    return [...byId.values()];
  },
};

const files: Question<readonly string[]> = {
  ofLocal: (entries, reference) => completeRevision(entries, reference)?.files,
  ofUpstream: filesIn,
  join: first,
};

const binaries: Question<ReadonlyMap<string, string>> = {
  ofLocal: (entries, reference) => completeRevision(entries, reference) && binariesOf(entries, reference),
  ofUpstream: binariesIn,
  join: (answers) => new Map(answers.toReversed().flatMap((each) => Array.from(each))),
};

type QuestionCall = DocumentCall & IndexCall;

const missing = ({ reference }: ConanPath): ApiError =>
  new ApiError(
    'VERSION_NOT_FOUND',
    `There is no such revision of ${recipeText(reference)} or of its binaries in this repository: conan list shows those that there are. An upload that was broken off is none until it is repeated.`,
  );

/** Asks all sources. Throws VERSION_NOT_FOUND if none of them has what the path names, and as `findIndexes`. */
const ask = async <A>(call: QuestionCall, sources: Sources, path: ConanPath, question: Question<A>) => {
  const { reference } = path;
  const found = await findIndexes(call, sources, {
    name: reference.name,
    ofLocal: ({ entries }) => question.ofLocal(entries, reference),
    ofUpstream: (source) => upstreamDocument(source, path, question.ofUpstream),
  });
  const [one, ...others] = (await found.load()).filter((answer) => answer !== undefined);
  if (one === undefined) throw missing(path);
  return { found, answer: question.join([one, ...others]) };
};

const answerWith = async <A>(
  call: QuestionCall,
  sources: Sources,
  path: ConanPath,
  { question, render }: { readonly question: Question<A>; readonly render: (answer: A) => object },
) => {
  const { found, answer } = await ask(call, sources, path, question);
  const content = JSON.stringify(render(answer));
  return answerLargeDocument(call, {
    ...found,
    revision: createHash('sha256').update(content).digest('base64url'),
    fileName: `${path.wanted}.json`,
    mediaType: 'application/json',
    render: async () => Buffer.from(content),
  });
};

/** The path with the revision of the recipe that is the latest. */
const withRevision = async (call: QuestionCall, sources: Sources, path: ConanPath): Promise<ConanPath> => {
  if (path.reference.recipeRevision !== undefined) return path;
  const { answer } = await ask(call, sources, { ...path, wanted: 'latest' }, latest);
  return { ...path, reference: { ...path.reference, recipeRevision: answer.revision } };
};

const filesOf = (names: readonly string[]) => ({ files: Object.fromEntries(names.map((file) => [file, {}])) });

const contentsOf = (found: ReadonlyMap<string, string>): object =>
  Object.fromEntries(Array.from(found, ([id, content]) => [id, { content }]));

const idsOf = (found: ReadonlyMap<string, string>): object =>
  Object.fromEntries(Array.from(found.keys(), (id) => [id, {}]));

/** Answers what clients ask about a recipe or a binary. With `list_only`, binaries come without their conaninfo.txt. */
export const answerQuestion = async (call: QuestionCall, sources: Sources, path: ConanPath, listsOnly: boolean) => {
  const { wanted } = path;
  if (wanted === 'latest') return answerWith(call, sources, path, { question: latest, render: (answer) => answer });
  if (wanted === 'revisions')
    return answerWith(call, sources, path, { question: revisions, render: (listed) => ({ revisions: listed }) });
  if (wanted === 'files') return answerWith(call, sources, path, { question: files, render: filesOf });
  if (wanted !== 'search') throw missing(path);
  const ofRevision = await withRevision(call, sources, path);
  return answerWith(call, sources, ofRevision, { question: binaries, render: listsOnly ? idsOf : contentsOf });
};
