import { preferredForm } from '../../../functions/pypi/page-forms.ts';

describe('The form of a page', () => {
  it.each([
    [undefined, 'legacy'],
    ['*/*', 'legacy'],
    ['text/html', 'legacy'],
    ['application/vnd.pypi.simple.v1+json', 'json'],
    ['application/vnd.pypi.simple.latest+json', 'json'],
    ['application/vnd.pypi.simple.v1+html', 'html'],
    // pip, uv, poetry and a browser, as they send it.
    ['application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01', 'json'],
    ['application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01', 'json'],
    ['application/vnd.pypi.simple.v1+html;q=0.2, application/vnd.pypi.simple.v1+json;q=0.9', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'legacy'],
    ['application/vnd.pypi.simple.v1+json;q=0, text/html', 'legacy'],
    ['APPLICATION/VND.PYPI.SIMPLE.V1+JSON; Q=0.5, text/html;q=0.4', 'json'],
    ['application/vnd.pypi.simple.v2+json', 'legacy'],
    ['*/*, application/vnd.pypi.simple.v1+json', 'json'],
    ['text/html;q=nonsense', 'legacy'],
    ['text/html, application/vnd.pypi.simple.v1+json', 'legacy'],
    [',;,', 'legacy'],
    // What every object has.
    ['constructor', 'legacy'],
    ['__proto__', 'legacy'],
    ['__proto__, application/vnd.pypi.simple.v1+json;q=0.5', 'json'],
  ])('for Accept: %s is %s', (accept, form) => {
    expect(preferredForm(accept)).toBe(form);
  });
});
