import { isRequirement, isSpecifierSet } from '../../../functions/pypi/requirements.ts';

// What `packaging` 26 says of each.

const requirements: Readonly<Record<'read' | 'refused', readonly string[]>> = {
  read: [
    'A.B-C_D',
    'foo_',
    'foo[]',
    'foo [ a , b-c ] >= 1',
    'requests[security,socks]>=2.8.1,==2.8.* ; python_version < "2.7"',
    'pip @ https://github.com/pypa/pip/archive/1.3.1.zip#sha1=da9234ee9982d4bbb3c72346a6de940a148ea686',
    'foo@https://example.org/a;b ; os_name=="nt"',
    'foo @ file:///a',
    'foo()',
    'foo (>=1.0)',
    'foo (>= 1.0 , <2,)',
    'foo>=1.0,<2.0,!=1.5.*',
    'foo==v1.0+local.1',
    'foo>=1.0-1',
    'foo===anything',
    'zope.interface~=5.0',
    `name<=1 ; (os_name=='a' or os_name=='b') and extra == "x"`,
    "foo;python_version>'3'and os_name=='x'",
    "foo; 'linux' not  in sys_platform",
    "foo; ((os.name=='a'))",
  ],
  refused: [
    '',
    '??? !!',
    '-foo',
    'foo-',
    'foo bar',
    'foo[a',
    'foo[a,]',
    'foo[a b]',
    'foo @',
    'foo @ x y',
    'foo 1.0',
    'foo (1.0)',
    'foo (>=1.0',
    'foo=1',
    'foo=>1',
    'foo>=1 <2',
    'foo,>=1',
    'foo>=1,,<2',
    'foo>=1.*',
    'foo==1.0a1.*',
    'foo~=1',
    'foo>=1.0+local',
    'foo===',
    'foo;',
    'foo; os_name',
    "foo; os_name=='a' or",
    "foo; os_name=='a",
    "foo; (os_name=='a'",
    "foo; os_name=='a')",
    "foo; os_name=='a') or (os_name=='b'",
    "foo; not os_name=='a'",
    "foo; os_name='a'",
  ],
};

const specifiers: typeof requirements = {
  read: ['', '>=3.6', '>=3.6,', '>=3,,<4', '>=2.7, !=3.0.*, !=3.1.*', '== 3.*', '~=3.6', '>3.0dev', '===x', '>=1!2'],
  refused: ['3.6', '^3', '>=3.6.*', '>=3.6 <4', '~=3', "'>=3'", '>=x', '=== a b', '>=3;'],
};

describe.each([
  ['requirement', requirements, isRequirement],
  ['set of version specifiers', specifiers, isSpecifierSet],
] as const)('A %s', (_what, { read, refused }, isRight) => {
  it.each(read)('may be %j', (text) => {
    expect(isRight(text)).toBe(true);
  });

  it.each(refused)('cannot be %j', (text) => {
    expect(isRight(text)).toBe(false);
  });
});
