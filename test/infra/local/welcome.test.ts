import { announcement, greeting } from '../../../infra/local/welcome.ts';

const url = 'http://127.0.0.1:3000';
const dataDir = '.stockroom';
const command = (lines: readonly string[]): string => lines.at(-1) ?? '';

describe('What a start prints', () => {
  it('has the generated password of the first admin once in a sentence, and in the command to paste', () => {
    const firstAdmin = { username: 'admin', password: 'generated' };
    const lines = greeting({ url, firstAdmin }, {}, dataDir);
    expect(announcement(firstAdmin, {})).toEqual([
      "The first system admin is 'admin' with the password 'generated', shown only this once.",
    ]);
    expect(command(lines).match(/-u "admin:generated"/g)).toHaveLength(2);
  });

  it('never has a password that was chosen, but the name of the variable that holds it', () => {
    const firstAdmin = { username: 'root', password: 'a chosen password' };
    const lines = greeting({ url, firstAdmin }, firstAdmin, dataDir);
    expect(announcement(firstAdmin, firstAdmin)).toEqual([]);
    expect(lines.join('\n')).not.toContain('a chosen password');
    expect(command(lines).match(/-u "root:\$STOCKROOM_ADMIN_PASSWORD"/g)).toHaveLength(2);
  });

  it('says first where people look', () => {
    const forPeople = `The console is at ${url}/, the reference at ${url}/docs.`;
    expect(greeting({ url, firstAdmin: undefined }, {}, dataDir)[0]).toBe(forPeople);
    expect(greeting({ url, firstAdmin: { username: 'admin', password: 'generated' } }, {}, dataDir)[0]).toBe(forPeople);
  });

  it('names nobody where there are users already, and says what is not used and not written', () => {
    const wish = { username: 'root', password: 'a chosen password', tokenFile: 'token' };
    const lines = greeting({ url, firstAdmin: undefined }, wish, dataDir);
    expect(lines.join('\n')).not.toMatch(/root|a chosen password/);
    for (const name of ['USERNAME', 'PASSWORD', 'TOKEN_FILE'])
      expect(lines[1]).toMatch(new RegExp(`STOCKROOM_ADMIN_${name}.* are not used: .* no token written\\.$`));
    expect(command(lines)).toBe(`  curl -i -u USERNAME ${url}/1/users/me`);
  });
  it('says how a start gets its first admin although there are users already', () => {
    const lines = greeting({ url, firstAdmin: undefined }, {}, 'elsewhere/data');
    expect(lines[2]).toMatch(/^To begin anew, .* another DATA_DIR, or remove elsewhere\/data, and with it all /);
  });

  it('names no directory where the users are in another table engine', () => {
    const lines = greeting({ url, firstAdmin: undefined }, {}, undefined);
    expect(lines.join('\n')).not.toMatch(/DATA_DIR|remove/);
    expect(lines.at(-2)).toMatch(/^Sign in as a user of an earlier start\./);
  });
});
