import type { VNode } from 'preact';
import type { deleteVerdict, listVerdicts, updateVerdict } from '../../../verdicts/contracts.ts';
import { change, getPage, part, type Result } from '../api.ts';
import { Action, badge, el, facts, h, link } from '../elements.ts';
import { area, choice, Form, field } from '../forms.ts';
import { canHaveVerdicts, typesWithClients } from '../lines.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import { administers, pageSize } from './home.ts';
import { frame, type WorkspaceProps } from './workspace.ts';

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

/** A package that is decided about, the version of it that somebody came from, and what was decided before. */
interface About {
  readonly type: string | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly before: Verdict | undefined;
}

/** Blocks or allows versions of a package; its fields begin with what was decided before. */
const Decision = ({
  workspace,
  about: { type, name, version, before },
  reload,
}: {
  readonly workspace: string;
  readonly about: About;
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
    h(
      Form,
      { label: words.save, run, done: words.saved },
      choice(words.packageType, { name: 'packageType', value: type }, typesWithClients.filter(canHaveVerdicts)),
      field(words.verdictName, { name: 'package', required: true, defaultValue: name, placeholder: 'axios' }),
      choice(words.verdict, { name: 'verdict', value: before?.verdict }, verdicts),
      area(words.verdictVersions, { name: 'versions', defaultValue: version ?? before?.versions.join('\n') }),
      field(words.reason, { name: 'reason', required: true, maxLength: 300, defaultValue: before?.reason }),
      field(words.verdictEnd, {
        name: 'end',
        placeholder: '2099-01-31T09:30:00.000Z',
        defaultValue: before?.expiresAt ?? '',
      }),
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

/** What the admins of a workspace decided about versions of upstreams. Its members see it. */
export const Verdicts = ({ me, workspace, shown: [type, name, version] }: WorkspaceProps): VNode => {
  const path = `/1/workspaces/${part(workspace)}/verdicts` as const;
  const pages = usePages((next) => getPage<typeof listVerdicts>(`${path}?${next ?? `limit=${pageSize}`}`), [workspace]);
  const mayChange = administers(me, workspace);
  const before = pages.items?.find((each) => each.packageType === type && each.package === name);
  const removal = ({ packageType, package: entry }: Verdict) =>
    h(Action, {
      label: words.remove,
      about: `${packageType} ${entry}`,
      danger: true,
      question: words.sure(`${packageType} ${entry}`),
      run: () => change<typeof deleteVerdict>('DELETE', pathOf(workspace, packageType, entry)).then(pages.reload),
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
    before && !mayChange && factsOf(before),
    mayChange &&
      h(Decision, {
        // The fields of a form begin with what is known when it is made.
        key: `${type} ${name} ${version} ${before === undefined}`,
        workspace,
        about: { type, name, version, before },
        reload: pages.reload,
      }),
  );
};
