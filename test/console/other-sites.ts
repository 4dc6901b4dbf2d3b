import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createSession, deleteCurrentSession, renewSession } from '../../functions/sessions/contracts.ts';
import { createPersonalAccessToken, listPersonalAccessTokens } from '../../functions/tokens/contracts.ts';
import { getCurrentUser } from '../../functions/users/contracts.ts';
import { consoleHeader } from '../../shared/http/console-header.ts';
import { changeStoredSession, secondsAgo, signIn as signInByRequest } from '../facts/browser-sessions.ts';
import { bearerHeader } from '../harness/credentials.ts';
import { useService } from '../harness/service.ts';
import { serving, Upstream } from '../harness/upstream.ts';
import type { Actor } from '../harness/world.ts';
import { openConsole, signIn, startBrowser } from './browser.ts';

/** `npm run test:console`: what other sites, and who has copied the cookie, can do with somebody's session. Needs Chromium. */
const service = useService();
const evil = new Upstream();
let browser: Browser;
let victim: Actor;
let attacker: Actor;

beforeAll(async () => {
  browser = await startBrowser();
  [victim, attacker] = [await service.world.user(), await service.world.user()];
  await evil.start();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await evil.stop();
});

const sessionIn = async (context: BrowserContext) =>
  (await context.cookies(service.runner.url)).find(({ name }) => name === 'stockroom');

/** What an attacker wants of the service, as a browser would have to send it. */
interface Wanted {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

const wanted: Readonly<Record<string, () => Wanted>> = {
  'a renewal': () => ({ method: 'POST', path: renewSession.path, body: {} }),
  'a sign-in as the attacker': () => {
    const { username, password } = attacker;
    return { method: 'POST', path: createSession.path, body: { username, password } };
  },
  'a sign-out': () => ({ method: 'DELETE', path: deleteCurrentSession.path, body: {} }),
  'a token': () => ({ method: 'POST', path: createPersonalAccessToken.path, body: { name: 'stolen' } }),
};

/** Scripts that send it, by how; `url`, `method` and `body` are there. */
const ways: Readonly<Record<string, string>> = {
  'a form': 'send("")',
  'a form in a frame': `const frame = document.createElement("iframe"); frame.name = "inner";
    document.body.appendChild(frame); send("inner")`,
  'a beacon': 'navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }))',
  'a fetch that asks nobody': 'fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body })',
  'a fetch with the header of the console': `fetch(url, { method, credentials: "include", body,
    headers: { "Content-Type": "application/json", "${consoleHeader}": "1" } })
    .then((answer) => answer.text()).then((text) => { document.title = "read " + text; }, () => {})`,
};

/** A form splits its text at an equals sign, which JSON may have in a member that nobody asked for. */
const attack = (
  way: string,
  { method, path, body }: Wanted,
): string => `<!doctype html><title>evil</title><body><script>
const [url, method, body] = ${JSON.stringify([service.runner.url + path, method, JSON.stringify(body)])};
const send = (target) => {
  const form = document.body.appendChild(document.createElement("form"));
  Object.assign(form, { method: "post", enctype: "text/plain", action: url, target });
  const field = form.appendChild(document.createElement("input"));
  [field.name, field.value] = [body.replace(/}$/, ', "a": "').replace("{,", "{"), '"}'];
  form.submit();
};
${ways[way]};
</script>`;

/** Another port of the same host is the same site, to which the browser even sends the cookie; another name is not. */
const places: Readonly<Record<string, () => string>> = {
  'another site': () => evil.url.replace('127.0.0.1', 'localhost'),
  'another port of the same host': () => evil.url,
};

/** The API asks for a password where it gets a cookie alone: only of a page of its own does the browser show that answer at once. */
const isShown = (what: string, way: string): boolean => what !== 'a token' || way === 'a form';

const attacks = Object.keys(wanted).flatMap((what) =>
  Object.keys(ways)
    .filter((way) => isShown(what, way))
    .flatMap((way) => Object.keys(places).map((place) => [what, way, place] as const)),
);

describe('A page of another origin', () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await openConsole(browser, service.runner.url));
    await signIn(page, victim);
  }, 60_000);
  afterAll(() => page.context().close());

  /** What the service answers to that which a page of the attacker sends, if it comes so far. */
  const statusOf = async (html: string, place: string, isSent: boolean): Promise<number | undefined> => {
    evil.answer = (request, response) => serving(html, { 'Content-Type': 'text/html' })(request, response);
    const other = await page.context().newPage();
    const answered = other.waitForResponse(
      (answer) => answer.url().startsWith(service.runner.url) && answer.request().method() !== 'OPTIONS',
      { timeout: isSent ? 10_000 : 1_000 },
    );
    await other.goto(`${places[place]?.()}/`).catch(() => undefined);
    const answer = await answered.catch(() => undefined);
    expect(await other.title()).not.toContain('read');
    await other.close();
    return answer?.status();
  };

  it.each(attacks)(
    'gets not %s, by %s, from %s',
    async (what, way, place) => {
      const before = await sessionIn(page.context());
      // What has to ask first is never sent. All else comes, and is refused: by the API because a cookie is no credential there.
      const isSent = !way.includes('header');
      const status = await statusOf(attack(way, wanted[what]?.() as Wanted), place, isSent);
      const refused = what === 'a token' ? 401 : 403;
      expect(status).toBe(isSent ? refused : undefined);
      expect(await sessionIn(page.context())).toEqual(before);
    },
    30_000,
  );

  it('has ended no session with all that, and has made no token', async () => {
    await page.reload();
    await page.getByRole('link', { name: victim.username }).waitFor();
    const tokens = await service.client.succeed(listPersonalAccessTokens, { as: victim.bearer });
    expect(tokens.map(({ id }) => id)).toEqual([victim.tokenId]);
  });

  it('shows the console in no frame', async () => {
    const html = `<iframe src="${service.runner.url}/"></iframe>`;
    evil.answer = (request, response) => serving(html, { 'Content-Type': 'text/html' })(request, response);
    const other = await page.context().newPage();
    await other.goto(evil.url);
    await other.waitForTimeout(1_000);
    expect(other.frames()).toHaveLength(2);
    expect(other.frames().map((frame) => frame.url())).not.toContain(`${service.runner.url}/`);
    await other.close();
  });
});

describe('The cookie', () => {
  it('goes with sign-in, renewal and sign-out, and with no other request', async () => {
    const { page } = await openConsole(browser, service.runner.url);
    const sent: Promise<readonly [path: string, hasCookie: boolean]>[] = [];
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      sent.push(request.allHeaders().then(({ cookie = '' }) => [path, cookie.includes('stockroom=')] as const));
    });
    await signIn(page, victim);
    await page.reload();
    await page.getByRole('link', { name: victim.username }).click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const asked = (await Promise.all(sent)).filter(([path]) => path.startsWith('/1/'));
    expect(new Set(asked.filter(([, hasCookie]) => hasCookie).map(([path]) => path))).toEqual(
      new Set([renewSession.path, deleteCurrentSession.path]),
    );
    expect(asked.filter(([, hasCookie]) => !hasCookie).map(([path]) => path)).toContain('/1/users/me');
    await page.context().close();
  }, 60_000);

  it('that an attacker has planted is replaced by the sign-in, and shows the attacker nothing of it', async () => {
    const planted = await signInByRequest(service.client, attacker);
    const { page } = await openConsole(browser, service.runner.url);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.context().addCookies([{ name: 'stockroom', value: planted.cookie, url: service.runner.url }]);
    await signIn(page, victim);
    const own = await sessionIn(page.context());
    expect(own?.value.split('.')[0]).not.toBe(planted.cookie.split('.')[0]);
    const { result } = await service.client.attempt(renewSession, {
      body: {},
      headers: { [consoleHeader]: '1', Cookie: `stockroom=${planted.cookie}` },
    });
    const seen = await service.client.succeed(getCurrentUser, { as: bearerHeader(result?.token ?? '') });
    expect(seen.username).toBe(attacker.username);
    await page.reload();
    await page.getByRole('link', { name: victim.username }).waitFor();
    await page.context().close();
  }, 60_000);

  it('that a thief has copied ends both copies when the second of them renews', async () => {
    const { page } = await openConsole(browser, service.runner.url);
    const signedIn = page.waitForResponse((answer) => answer.url().endsWith(createSession.path));
    await signIn(page, victim);
    const { id } = (await (await signedIn).json()) as { readonly id: string };
    const cookie = await sessionIn(page.context());
    const thief = await browser.newContext();
    await thief.addCookies(cookie ? [cookie] : []);
    const stolen = await thief.newPage();
    const renewal = stolen.waitForResponse((answer) => answer.url().endsWith(renewSession.path));
    await stolen.goto(`${service.runner.url}/`);
    await stolen.getByRole('link', { name: victim.username }).waitFor();
    const { token } = (await (await renewal).json()) as { readonly token: string };
    // Ten seconds later, nobody is a tab any more that has renewed at the same time.
    await changeStoredSession(id, { renewedAt: secondsAgo(11) });
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect((await service.client.attempt(getCurrentUser, { as: bearerHeader(token) })).status).toBe(401);
    await stolen.getByRole('link', { name: victim.username }).click();
    await stolen.getByRole('button', { name: 'Sign in' }).waitFor();
    await stolen.reload();
    await stolen.getByRole('button', { name: 'Sign in' }).waitFor();
    await Promise.all([page.context().close(), thief.close()]);
  }, 60_000);
});
