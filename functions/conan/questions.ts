import { hash } from 'node:crypto';
import { ApiError } from '../../shared/errors.ts';
import type { JsonObject } from '../../shared/packages/formats/json-objects.ts';
import { listedReleases } from '../../shared/packages/gate/version-releases.ts';
import type { LoadedIndex } from '../../shared/packages/index/package-index.ts';
import { heldError, isHeld } from '../../shared/packages/releases/open-gate.ts';
import { answerLargeDocument, type DocumentCall } from '../../shared/packages/serve/document-answers.ts';
import { type FoundIndexes, findIndexes, type IndexCall } from '../../shared/packages/serve/package-indexes.ts';
import type { Sources } from '../../shared/packages/sources/sources.ts';
import type { RemoteRepository } from '../../shared/table/repositories/repositories.ts';
import { namedRevisions, releaseOfRevision, releasesOfRevisions, revisionsDocument, withReleases } from './gate.ts';
import { binariesOf, completeRevision, type ListedRevision, listedRevisions } from './index-entries.ts';
import type { ConanPath } from './paths.ts';
import { type ConanReference, recipeText, versionOf } from './references.ts';
import { binariesIn, filesIn, revisionIn, revisionsIn, upstreamDocument } from './upstream.ts';

type Entries = LoadedIndex['entries'];

/** What clients ask about a recipe or a binary, and how each source answers. */
interface Question<A> {
  readonly ofLocal: (entries: Entries, reference: ConanReference) => A | undefined;
  readonly ofUpstream: (sent: JsonObject) => A | undefined;
  /** One answer of those that sources gave, in their order. */
  readonly join: (answers: readonly [A, ...A[]]) => A;
  /** The revisions in an answer. Without it, the answer is about the revision that is asked about. */
  readonly revisionsIn?: (answer: A) => readonly ListedRevision[];
  /** An answer without the revisions that a gate holds back; undefined if nothing is left. */
  readonly without: (answer: A, held: ReadonlySet<string>) => A | undefined;
}

const nothing = () => undefined;

/** Recipe and binaries of a revision come from one child: the first one that has it answers. */
const first = <A>([answer]: readonly [A, ...A[]]): A => answer;

const latest: Question<ListedRevision> = {
  ofLocal: (entries, reference) => listedRevisions(entries, reference)[0],
  ofUpstream: revisionIn,
  join: first,
  revisionsIn: (answer) => [answer],
  without: nothing,
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
  revisionsIn: (answer) => answer,
  without: (answer, held) => {
    const left = answer.filter(({ revision }) => !held.has(revision));
    return left.length === 0 ? undefined : left;
  },
};

const files: Question<readonly string[]> = {
  ofLocal: (entries, reference) => completeRevision(entries, reference)?.files,
  ofUpstream: filesIn,
  join: first,
  without: nothing,
};

const binaries: Question<ReadonlyMap<string, string>> = {
  ofLocal: (entries, reference) => completeRevision(entries, reference) && binariesOf(entries, reference),
  ofUpstream: binariesIn,
  join: (answers) => new Map(answers.toReversed().flatMap((each) => Array.from(each))),
  without: nothing,
};

type QuestionCall = DocumentCall & IndexCall;

const missing = ({ reference }: ConanPath): ApiError =>
  new ApiError(
    'VERSION_NOT_FOUND',
    `There is no such revision of ${recipeText(reference)} or of its binaries in this repository: conan list shows those that there are. An upload that was broken off is none until it is repeated.`,
  );

/** What an upstream answers, for a gate with the releases that the answer is about. */
const upstreamAnswer = <A>(
  source: RemoteRepository,
  path: ConanPath,
  { ofUpstream, revisionsIn: listed }: Question<A>,
) => {
  const { reference } = path;
  const plain = upstreamDocument(source, path, ofUpstream);
  const revisionsOf = (answer: A | undefined) => (answer === undefined || !listed ? [] : listed(answer));
  const document = listed ? revisionsDocument(plain, revisionsOf) : plain;
  return withReleases(source, document, async (request, loaded) => {
    if (listed) return releasesOfRevisions(request, source, reference, await listedReleases(loaded, document.releases));
    const release = await releaseOfRevision(request, source, reference);
    return release ? [release] : [];
  });
};

/** What an answer is about: revisions in it, or the one that is asked about. */
const listedIn = <A>({ revisionsIn: listed }: Question<A>, reference: ConanReference, answer: A | undefined) => {
  if (listed) return namedRevisions(reference, answer === undefined ? [] : listed(answer));
  return [{ id: versionOf(reference), version: versionOf(reference) }];
};

/** Asks all sources. Throws VERSION_NOT_FOUND or VERSION_HELD if none of them has what the path names, and as `findIndexes`. */
const ask = async <A>(call: QuestionCall, sources: Sources, path: ConanPath, question: Question<A>) => {
  const { reference } = path;
  const found = await findIndexes<A | undefined>(call, sources, {
    name: reference.name,
    ofLocal: ({ entries }) => question.ofLocal(entries, reference),
    ofUpstream: (source) => upstreamAnswer(source, path, question),
    gate: {
      releases: (answer) => listedIn(question, reference, answer),
      without: (answer, held) => answer && question.without(answer, held),
    },
  });
  const [one, ...others] = (await found.load()).filter((answer) => answer !== undefined);
  const [held] = found.held;
  if (one === undefined) throw held ? heldError(held) : missing(path);
  return { found, answer: question.join([one, ...others]) };
};

/** The latest revision: where a gate holds it back, the one before it. */
const askLatest = async (call: QuestionCall, sources: Sources, path: ConanPath) => {
  try {
    return await ask(call, sources, path, latest);
  } catch (error) {
    if (!isHeld(error)) throw error;
    const { found, answer } = await ask(call, sources, { ...path, wanted: 'revisions' }, revisions);
    const [newest] = answer;
    if (!newest) throw error;
    return { found, answer: newest };
  }
};

const answerWith = async <A>(
  call: QuestionCall,
  path: ConanPath,
  { found, answer }: { readonly found: Pick<FoundIndexes<A>, 'name' | 'headers'>; readonly answer: A },
  render: (answer: A) => object,
) => {
  const content = JSON.stringify(render(answer));
  return answerLargeDocument(call, {
    ...found,
    revision: hash('sha256', content, 'base64url'),
    fileName: `${path.wanted}.json`,
    mediaType: 'application/json',
    render: async () => Buffer.from(content),
  });
};

/** The path with the revision of the recipe that is the latest. */
const withRevision = async (call: QuestionCall, sources: Sources, path: ConanPath): Promise<ConanPath> => {
  if (path.reference.recipeRevision !== undefined) return path;
  const { answer } = await askLatest(call, sources, { ...path, wanted: 'latest' });
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
  if (wanted === 'latest') return answerWith(call, path, await askLatest(call, sources, path), (answer) => answer);
  if (wanted === 'revisions') {
    const asked = await ask(call, sources, path, revisions);
    return answerWith(call, path, asked, (listed) => ({ revisions: listed }));
  }
  if (wanted === 'files') return answerWith(call, path, await ask(call, sources, path, files), filesOf);
  if (wanted !== 'search') throw missing(path);
  const ofRevision = await withRevision(call, sources, path);
  const asked = await ask(call, sources, ofRevision, binaries);
  return answerWith(call, ofRevision, asked, listsOnly ? idsOf : contentsOf);
};
