import { usePythonRepository } from '../../harness/pypi.ts';
import { useService } from '../../harness/service.ts';
import { serving, useUpstream } from '../../harness/upstream.ts';

const service = useService();
const upstream = useUpstream();
const { get, remote } = usePythonRepository(service);

const html = { 'Content-Type': 'text/html; charset=utf-8' };
const json = { 'Content-Type': 'application/vnd.pypi.simple.v1+json' };
const simple = '<!DOCTYPE html>\n<html>\n<head><title>Links for foo</title></head>\n<body>\n</body>\n</html>\n';
const simpleJson = JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'foo', files: [] });

describe('An index of PyPI that has no files of a project is an index', () => {
  const page = (head: string, body = ''): string =>
    `<!DOCTYPE html><html><head>${head}</head><body>${body}</body></html>`;

  it.each([
    ['warehouse', simple, html],
    ['PEP 629', page('<meta name="pypi:repository-version" content="1.0">'), html],
    ['devpi', page('<title>root/dev: links for foo</title>', '<form action="/refresh"></form>'), html],
    ['Nexus', page('<title>Links for foo</title><meta name="api-version" value="2"/>'), html],
    ['Artifactory', page('<title>Simple Index</title><meta name="api-version" value="2" />'), html],
    ['bandersnatch', `${simple}<!--SERIAL 42-->`, html],
    ['python -m http.server', page('<title>Directory listing for /simple/foo/</title>', '<hr><ul></ul><hr>'), html],
    ['nginx', '<html><head><title>Index of /simple/foo/</title></head><body><a href="../">../</a></body></html>', html],
    ['a media type of PEP 691', page(''), { 'Content-Type': 'application/vnd.pypi.simple.v1+html' }],
    ['JSON', simpleJson, json],
    ['JSON as a file', simpleJson, {}],
  ])('as %s', async (_, sent, headers) => {
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    upstream.answer = serving(sent, headers);
    const { status, text } = await get('simple/foo/', { repository });
    expect([status, text.includes('foo-1.0')]).toEqual([200, false]);
  });

  it('and a page without any heading is one by its files', async () => {
    const repository = await remote({ remoteRepositoryUrl: upstream.url });
    upstream.answer = serving('<a href="/files/foo-1.0.tar.gz">foo</a>', html);
    expect((await get('simple/foo/', { repository })).text).toContain('foo-1.0.tar.gz');
  });
});
