import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { deleteVerdict, getVerdict, listVerdicts, updateVerdict } from '../../../verdicts/contracts.ts';
import { change, codeOf, get, getPage, part, type Result } from '../api.ts';
import { Action, badge, el, facts, h, link, loadedView, useLoaded } from '../elements.ts';
import { area, choice, Form, field, storedFields } from '../forms.ts';
import { canHaveVerdicts, typesWithClients } from '../lines.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import { administers, pageSize } from './home.ts';
import { frame, mayBeThere, type WorkspaceProps } from './workspace.ts';

type Verdict = Result<typeof listVerdicts>[number];
type Fields = Readonly<Record<string, string>>;

const verdicts: readonly Verdict['verdict'][] = ['block', 'allow'];

const pathOf = (workspace: string, type: string, name: string) =>
  `/1/workspaces/${part(workspace)}/verdicts/${part(type)}/${part(name)}` as const;

/** The versions in a text, a line for each; all where there is none. */
const versionsIn = (text: string): string[] => {
  const found = text.split('\n').flatMap((line) => line.trim() || []);
  return found.length > 0 ? found : ['*'];
};

/** The verdict on a name; null if there is none. */
const verdictOn = (workspace: string, type: string, name: string): Promise<Verdict | null> =>
  get<typeof getVerdict>(pathOf(workspace, type, name)).catch((error: unknown) => {
    if (codeOf(error) === 'VERDICT_NOT_FOUND') return null;
    throw error;
  });

/** A line for each version that was decided about, and for another one. All of them have that one, too. */
const versionLines = (before: Verdict | null, version: string | undefined): string => {
  const decided = before?.versions ?? [];
  return [...new Set([...decided, ...(version === undefined || decided.includes('*') ? [] : [version])])].join('\n');
};

/** A package that is decided about, and the version of it that somebody came from. */
interface About {
  readonly workspace: string;
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
}

/** Blocks or allows versions of a package; its fields begin with what was decided before, which it replaces. */
const Decision = ({
  about: { workspace, type, name, version },
  before,
  reload,
}: {
  readonly about: About;
  readonly before: Verdict | null;
  readonly reload: () => void;
}): VNode => {
  const run = ({ packageType = '', package: entry = '', verdict, versions = '', reason = '', end = '' }: Fields) =>
    change<typeof updateVerdict>('PUT', pathOf(workspace, packageType, entry.trim()), {
      verdict: verdict as Verdict['verdict'],
      versions: versionsIn(versions),
      reason,
      expiresAt: end.trim() || null,
    }).then(reload);
  return el(
    'section',
    null,
    el('h2', null, words.newVerdict),
    el('p', { class: 'hint' }, words.verdictWhy),
    before && el('p', null, words.verdictReplaced),
    h(
      Form,
      { label: words.save, run, done: words.saved },
      storedFields(
        before,
        choice(
          words.packageType,
          { name: 'packageType', defaultValue: type },
          typesWithClients.filter(canHaveVerdicts),
        ),
        field(words.verdictName, { name: 'package', required: true, defaultValue: name, placeholder: 'axios' }),
        choice(words.verdict, { name: 'verdict', defaultValue: before?.verdict }, verdicts),
        area(words.verdictVersions, { name: 'versions', defaultValue: versionLines(before, version) }),
        field(words.reason, { name: 'reason', required: true, maxLength: 300, defaultValue: before?.reason }),
        field(words.verdictEnd, {
          name: 'end',
          placeholder: '2099-01-31T09:30:00.000Z',
          defaultValue: before?.expiresAt ?? '',
        }),
      ),
    ),
  );
};

const factsOf = (each: Verdict): VNode =>
  facts(words.verdict, [
    [words.package, `${each.packageType} ${each.package}`],
    [words.verdict, each.verdict],
    [words.versions, each.versions.join(', ')],
    [words.reason, each.reason],
    [words.when, timeText(each.decidedAt)],
    [words.ends, each.expiresAt ? timeText(each.expiresAt) : words.never],
  ]);

/** What was decided about the name in the address, wherever the list has it, and a form for those who decide anew. */
const Decided = ({
  about,
  round,
  mayChange,
  reload,
}: {
  readonly about: About;
  readonly round: number;
  readonly mayChange: boolean;
  readonly reload: () => void;
}): VNode => {
  const { workspace, type, name } = about;
  const loaded = useLoaded(async () => (type && name ? verdictOn(workspace, type, name) : null), [round]);
  return el(
    'div',
    null,
    loadedView(loaded, (before) => [before && factsOf(before), mayChange && h(Decision, { about, before, reload })]),
  );
};

/** What the admins of a workspace decided about versions of upstreams. Its members see it. */
export const Verdicts = ({ me, workspace, shown: [type, name, version] }: WorkspaceProps): VNode => {
  const path = `/1/workspaces/${part(workspace)}/verdicts` as const;
  const [round, setRound] = useState(0);
  const reload = () => setRound((before) => before + 1);
  const pages = usePages(
    (next) => getPage<typeof listVerdicts>(`${path}?${next ?? `limit=${pageSize}`}`),
    [workspace, round],
  );
  const mayChange = administers(me, workspace) && mayBeThere(pages.error);
  const removal = ({ packageType, package: entry }: Verdict) =>
    h(Action, {
      label: words.remove,
      about: `${packageType} ${entry}`,
      danger: true,
      question: words.sure(`${packageType} ${entry}`),
      run: () => change<typeof deleteVerdict>('DELETE', pathOf(workspace, packageType, entry)).then(reload),
    });
  const heads = [words.package, words.verdict, words.versions, words.reason, words.ends];
  return frame(
    { me, workspace, here: ':verdicts' },
    pagesView(
      pages,
      {
        label: words.verdicts,
        heads: [...heads, ...(mayChange ? [words.remove] : [])],
        row: (each) => [
          link(
            addressOf(workspace, ':verdicts', each.packageType, each.package),
            `${each.packageType} ${each.package}`,
          ),
          badge(each.verdict),
          each.versions.join(', '),
          each.reason,
          each.expiresAt ? timeText(each.expiresAt) : words.never,
          ...(mayChange ? [removal(each)] : []),
        ],
      },
      el('p', null, words.noVerdict),
    ),
    h(Decided, {
      key: `${type} ${name} ${version}`,
      about: { workspace, type, name, version },
      round,
      mayChange,
      reload,
    }),
  );
};
