import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { trustProviders } from '../../../../shared/trust-providers.ts';
import type { listRepositories } from '../../../repositories/contracts.ts';
import type { checkTrust, createTrust, deleteTrust, listTrusts } from '../../../trusts/contracts.ts';
import { base, change, getPage, part, type Result, ShownRefusal } from '../api.ts';
import { Action, el, h, Lines, link, table } from '../elements.ts';
import { area, choice, Form, field } from '../forms.ts';
import { type Level, levels } from '../levels.ts';
import { pagesView, usePages } from '../lists.ts';
import { addressOf } from '../routes.ts';
import { timeText } from '../texts.ts';
import { words } from '../words.ts';
import { administers, curlLine, pageSize } from './home.ts';
import { frame, mayBeThere, type WorkspaceProps } from './workspace.ts';

type Trust = Result<typeof listTrusts>[number];
type Checked = Result<typeof checkTrust>;
type Fields = Readonly<Record<string, string>>;

const pathOf = (workspace: string) => `/1/workspaces/${part(workspace)}/trusts` as const;

/** The conditions in a text: a line for each, with the claim before the first equals sign. */
const conditionsIn = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [claim = '', ...rest] = line.split('=');
      const wanted = rest.join('=').trim();
      return wanted.includes('*') ? { claim: claim.trim(), matches: wanted } : { claim: claim.trim(), equals: wanted };
    });

interface Props {
  readonly workspace: string;
  readonly reload: () => void;
}

const NewTrust = ({ workspace, reload }: Props): VNode => {
  const repositories = usePages(
    (next) =>
      getPage<typeof listRepositories>(`/1/workspaces/${part(workspace)}/repositories?${next ?? `limit=${pageSize}`}`),
    [workspace],
  );
  const run = async ({
    name = '',
    provider,
    issuer,
    audience = '',
    conditions = '',
    repository = '',
    level,
  }: Fields) => {
    await change<typeof createTrust>('POST', pathOf(workspace), {
      name,
      provider: provider as Trust['provider'],
      ...(issuer && { issuer }),
      audience,
      conditions: conditionsIn(conditions),
      repositories: [{ repositoryReference: repository, repositoryPermissionLevel: level as Level }],
    });
    reload();
  };
  return el(
    'section',
    null,
    el('h2', null, words.newTrust),
    h(
      Form,
      { label: words.create, run },
      field(words.name, { name: 'name', required: true, maxLength: 30 }),
      choice(words.provider, { name: 'provider' }, trustProviders),
      field(words.issuer, { name: 'issuer' }),
      field(words.audience, { name: 'audience', required: true, defaultValue: base().replace(/\/$/, '') }),
      area(words.conditionLines, { name: 'conditions', required: true, placeholder: 'repository_id = 123456789' }),
      field(words.repository, { name: 'repository', required: true, list: 'repositories' }),
      el(
        'datalist',
        { id: 'repositories' },
        repositories.items?.map(({ name }) => el('option', { key: name, value: name })),
      ),
      choice(words.level, { name: 'level' }, levels),
    ),
  );
};

const expectedOf = (condition: Checked['conditions'][number]): string =>
  condition.equals ?? condition.matches ?? words.noneOf((condition.excludes ?? []).join(', '));

const outcome = ({ isAccepted, reason, conditions }: Checked): VNode =>
  el(
    'div',
    { role: 'status' },
    el('p', null, isAccepted ? words.accepted : words.refused, reason ? ` ${reason}` : ''),
    table(
      words.conditions,
      [words.claim, words.wanted, words.found, words.holds],
      conditions.map((each) => [each.claim, expectedOf(each), each.found ?? words.missing, each.holds ? '✓' : '✗']),
    ),
  );

const parsedClaims = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ShownRefusal(words.noClaims);
  }
};

/** Asks whether a trust would accept a token, or the claims of one, which begin with a brace. */
const TrustCheck = ({ workspace, name }: { readonly workspace: string; readonly name: string }): VNode => {
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  const run = async ({ proof = '' }: Fields) => {
    const body = proof.trim().startsWith('{') ? { claims: parsedClaims(proof) } : { token: proof.trim() };
    setChecked(undefined);
    setChecked(await change<typeof checkTrust>('POST', `${pathOf(workspace)}/${part(name)}/check`, body));
  };
  return el(
    'section',
    null,
    el('h3', null, words.checkTrust(name)),
    h(Form, { label: words.check, run }, area(words.proof, { name: 'proof', required: true })),
    checked && outcome(checked),
  );
};

const conditionsOf = ({ conditions }: Trust): ComponentChildren =>
  conditions.map(({ claim, equals, matches }) =>
    el('div', { key: claim }, el('code', null, `${claim} = ${equals ?? matches ?? ''}`)),
  );

/** The pipelines that get tokens without a secret; for Workspace Admins. The one that is shown is checked. */
export const Trusts = ({ me, workspace, shown: [shown] }: WorkspaceProps): VNode => {
  const path = pathOf(workspace);
  const pages = usePages((next) => getPage<typeof listTrusts>(`${path}?${next ?? `limit=${pageSize}`}`), [workspace]);
  const mayChange = administers(me, workspace) && mayBeThere(pages.error);
  const removal = ({ id, name }: Trust) =>
    h(Action, {
      label: words.remove,
      about: name,
      danger: true,
      question: words.sure(name),
      run: () => change<typeof deleteTrust>('DELETE', `${path}/${part(id)}`).then(pages.reload),
    });
  return frame(
    { me, workspace, here: ':trusts' },
    pagesView(
      pages,
      {
        label: words.trusts,
        heads: [words.name, words.provider, words.conditions, words.repositories, words.lastUsed, words.remove],
        row: (trust) => [
          link(addressOf(workspace, ':trusts', trust.name), trust.name),
          trust.provider,
          conditionsOf(trust),
          trust.repositories.map((each) => `${each.repositoryName}: ${each.repositoryPermissionLevel}`).join(', '),
          trust.lastUsedAt ? timeText(trust.lastUsedAt) : words.never,
          removal(trust),
        ],
      },
      [
        el('p', null, words.noTrust),
        h(Lines, {
          title: 'curl',
          text: curlLine(path.slice(1), {
            name: 'release',
            provider: 'github',
            audience: base().replace(/\/$/, ''),
            conditions: [{ claim: 'repository_id', equals: '123456789' }],
            repositories: [{ repositoryReference: 'npm-local', repositoryPermissionLevel: 'canDeploy' }],
          }),
        }),
      ],
    ),
    mayChange && shown !== undefined && h(TrustCheck, { key: shown, workspace, name: shown }),
    mayChange && h(NewTrust, { workspace, reload: pages.reload }),
  );
};
