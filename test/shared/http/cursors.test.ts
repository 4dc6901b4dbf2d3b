import { userActor } from '../../../shared/auth/actor.ts';
import { sealCursor, unsealCursor } from '../../../shared/http/cursors.ts';

const actorOf = (userId: string) => userActor({ userId, username: 'robin' });
const caller = { actor: actorOf('user-1'), cursorSecret: 'version-1' };
const scope = ['repositories/list-repositories', 'workspace-1', [['packageType', 'npm']]];
const cursor = sealCursor('position', caller, scope);
const bytes = Buffer.from(cursor, 'base64url');
const seal = bytes.subarray(0, -'position'.length);

const isRefused = (text: string, by = caller, of: readonly unknown[] = scope): boolean => {
  try {
    unsealCursor(text, by, of);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'REQUEST_INVALID';
  }
};

describe('A cursor', () => {
  it.each(['position', 'ä/🎉', '#', 'x'.repeat(900)])(
    'leads its caller to its position in its list: %s',
    (position) => {
      expect(unsealCursor(sealCursor(position, caller, scope), caller, scope)).toBe(position);
    },
  );

  it.each([
    ['another caller', { ...caller, actor: actorOf('user-2') }, scope],
    ['another password', { ...caller, cursorSecret: 'version-2' }, scope],
    ['another list', caller, ['members/list-workspace-members', ...scope.slice(1)]],
    ['another workspace', caller, [scope[0], 'workspace-2', scope[2]]],
    ['another filter', caller, [...scope.slice(0, 2), [['packageType', 'maven']]]],
    ['no filter', caller, [...scope.slice(0, 2), []]],
  ])('is refused for %s', (_, by, of) => {
    expect(isRefused(cursor, by, of)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no seal', Buffer.from('position').toString('base64url')],
    ['a seal alone', seal.toString('base64url')],
    ['another position', Buffer.concat([seal, Buffer.from('positioN')]).toString('base64url')],
    ['another seal', Buffer.concat([Buffer.alloc(seal.length), Buffer.from('position')]).toString('base64url')],
    ['a second spelling', `${cursor}=`],
    ['white space', `${cursor} `],
    ['base64 in place of base64url', bytes.toString('base64').replace(/=*$/, '=')],
  ])('is refused with %s', (_, text) => {
    expect(isRefused(text)).toBe(true);
  });
});
