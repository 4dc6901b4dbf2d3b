import {
  addMemberToRepositories,
  addRepositoryMember,
  addWorkspaceMember,
  listRepositoryMembers,
  removeRepositoryMember,
  removeWorkspaceMember,
} from '../../functions/members/contracts.ts';
import {
  createLocalRepository,
  deleteRepository,
  getRepository,
  listRepositories,
} from '../../functions/repositories/contracts.ts';
import {
  createWorkspace,
  deleteWorkspaceByReference,
  getWorkspace,
  listWorkspaces,
} from '../../functions/workspaces/contracts.ts';
import type { Answer, Client } from '../harness/client.ts';
import { rowsOf } from '../harness/pages.ts';
import type { TokenUser } from '../harness/stored-items.ts';
import { uniqueName } from '../harness/world.ts';
import type { Action, Who } from './model.ts';

const short = ({ status, code }: Answer): string => (code === undefined ? String(status) : `${status} ${code}`);

/** The service as one sequence sees it: its names are its own, so that sequences do not meet. */
export class SystemUnderTest {
  readonly workspaceNames: readonly string[] = [uniqueName('a'), uniqueName('b')];
  readonly repositoryNames: readonly string[] = ['first', 'second'];
  /** The IDs of what was made and is gone. */
  readonly buried: { workspace: string; repository?: string }[] = [];
  private readonly ids = new Map<string, string>();
  private readonly client: Client;
  private readonly root: string;
  readonly users: readonly TokenUser[];

  constructor(client: Client, root: string, users: readonly TokenUser[]) {
    this.client = client;
    this.root = root;
    this.users = users;
  }

  /** Carries an action out; answers with status and code. */
  async apply(action: Action): Promise<string> {
    const answer = await this.send(action);
    this.note(action, answer);
    return short(answer);
  }

  /** The workspaces that a user sees, each with the role. */
  async workspacesFor(user: number): Promise<string[]> {
    const answer = await this.client.call(listWorkspaces, { as: this.bearer(user) });
    return rowsOf<{ name: string; role: string }>(answer).map(({ name, role }) => `${name} ${role}`);
  }

  /** The names of the repositories that a user sees in a workspace, or the refusal. */
  async repositoriesFor(workspace: number, user: number): Promise<readonly string[] | string> {
    const answer = await this.client.call(listRepositories, { params: this.in(workspace), as: this.bearer(user) });
    return answer.status === 200 ? rowsOf<{ name: string }>(answer).map(({ name }) => name) : short(answer);
  }

  /** Who holds which level on a repository, as far as a user may see it, or the refusal. */
  async levelsFor(workspace: number, repository: number, user: number): Promise<readonly string[] | string> {
    const params = this.in(workspace, repository);
    const answer = await this.client.call(listRepositoryMembers, { params, as: this.bearer(user) });
    if (answer.status !== 200) return short(answer);
    return rowsOf<{ username: string; repositoryPermissionLevel: string }>(answer).map(
      (row) => `${row.username} ${row.repositoryPermissionLevel}`,
    );
  }

  /** What asking for something that is gone answers, by its ID. */
  async askForBuried({ workspace, repository }: { workspace: string; repository?: string }, by: Who): Promise<string> {
    const as = this.bearer(by);
    if (repository === undefined) return short(await this.client.call(getWorkspace, { params: { workspace }, as }));
    return short(await this.client.call(getRepository, { params: { workspace, repository }, as }));
  }

  private bearer(by: Who): string {
    return by === 'root' ? this.root : (this.users[by]?.bearer ?? '');
  }

  private in(workspace: number, repository = 0): { workspace: string; repository: string } {
    return {
      workspace: this.workspaceNames[workspace] ?? '',
      repository: this.repositoryNames[repository] ?? '',
    };
  }

  private userId(user: number): string {
    return this.users[user]?.userId ?? '';
  }

  private send(action: Action): Promise<Answer> {
    const params = this.in(action.workspace, 'repository' in action ? action.repository : undefined);
    const as = this.bearer('by' in action ? action.by : 'root');
    const user = 'user' in action ? this.userId(action.user) : '';
    const { client } = this;
    const send: { readonly [K in Action['kind']]: (wanted: Extract<Action, { kind: K }>) => Promise<Answer> } = {
      'create workspace': () => client.call(createWorkspace, { body: { name: params.workspace }, as }),
      'delete workspace': () => client.call(deleteWorkspaceByReference, { params, as }),
      'set member': ({ role }) => client.call(addWorkspaceMember, { params, body: { userId: user, role }, as }),
      'remove member': () => client.call(removeWorkspaceMember, { params: { ...params, user }, as }),
      'create repository': () =>
        client.call(createLocalRepository, { params, body: { name: params.repository, packageType: 'npm' }, as }),
      'delete repository': () => client.call(deleteRepository, { params, as }),
      grant: ({ level }) =>
        client.call(addRepositoryMember, { params, body: { userId: user, repositoryPermissionLevel: level }, as }),
      'remove grant': () => client.call(removeRepositoryMember, { params: { ...params, user }, as }),
      'grant batch': ({ repositories }) => {
        const named = repositories.map(({ repository, level }) => ({
          repositoryReference: this.repositoryNames[repository] ?? '',
          repositoryPermissionLevel: level,
        }));
        return client.call(addMemberToRepositories, { params, body: { userId: user, repositories: named }, as });
      },
    };
    return send[action.kind](action as never);
  }

  private note(action: Action, { status, text }: Answer): void {
    const made = status < 300 ? (JSON.parse(text) as { id?: string; workspaceId?: string; repositoryId?: string }) : {};
    if (action.kind === 'create workspace' && made.id) this.ids.set(String(action.workspace), made.id);
    if (action.kind === 'delete workspace' && made.id) this.buried.push({ workspace: made.id });
    if (action.kind === 'delete repository' && made.repositoryId)
      this.buried.push({ workspace: this.ids.get(String(action.workspace)) ?? '', repository: made.repositoryId });
  }
}
