import fc from 'fast-check';
import { anything, versions } from './specification.ts';

/** Constraints that Composer\Semver reads. */
export const constraints = `*
x
v*
*.*
1.0
v1.0.0
1.0.*
1.x
1.*.*
v1.2.X
~1
~1.2
~1.2.3-beta
~1.x-dev
^1.0
^v2
^0.0.3
^1.0@dev
^1.0.0+build
^1234567
>=1.0
>= 1.0
>1.0 <2.0
>=1.0,<2.0
>=1.0 , <2.0
>=1.0, <2.0 || ^3.0
^7.0|^8.0
^7.0 || ^8.0 || ^9.0
<>1.0
!=1.0
==1.0
=1.0
<=1.0-RC1
1.0 - 2.0
1.0-beta - 2
1.0 - 2.x-dev
1.0 - 2.0 || 3.0
dev-main
dev-feature/x
dev-main#0a1b2c3
1.x-dev#0a1b2c3
dev-main as 1.0
dev-main as 1.0.x-dev
1.0 as 2.0
feature-dev
1.x-dev
>=1.x-dev
master
@dev
@stable
>=1.0@beta
1.0@RC
dev-a || dev-b
20100102
2010-01-02
>=2010.01.02
1.0-p1
 1.0 
>=1.0 !=1.5 <2
~v1.0
dev-master@dev
dev-
^99999999999999999999999
1.0 as anything`.split('\n');

/** Texts at which Composer fails. */
export const noConstraints = [
  ...`not valid ver !!
>>>1
1.0 || bad bad
bad
1.0 ||
|| 1.0
1.0 ||| 2.0
1.0,
,1.0
1.0,,2.0
1.0, ,2.0
~>1.0
~> 1.0
^
~
^x
^1.x
~1.*
~foo
^ 1.0
~ 1.0
>=
>
>=1.0.*
>=*
=>1.0
!1.0
1.0.0.0.0
1.0 -2.0
1.0- 2.0
1.0  -  2.0
1.0 - foo
99999999999999999999999 - 2
1.0 -
1.0  as 2.0
foo as 1.0
dev-a b
self.version
latest
1.0.0-foo
1.0#0a1b2c3
@foo
1.0@foo
1.0;2.0
[1.0,2.0)
^1.0 foo
^99999999999999999999999-beta
1.0\u00A0
\u00A0`.split('\n'),
  '',
  ' ',
];

const part = fc
  .tuple(
    fc.constantFrom('', '', '^', '~', '>=', '<', '!=', '>= ', '~>', '='),
    fc.oneof(versions, anything, fc.constantFrom('1.*', 'x', '1.2.x', 'dev-a#b', '1.x-dev#b', '2 - 3', '*')),
    fc.constantFrom('', '', '@dev', '#a', ' as 1.0'),
  )
  .map((parts) => parts.join(''));

/** Texts that are constraints of Composer, and some that are nearly. */
export const nearConstraints = fc
  .array(fc.tuple(part, fc.constantFrom(' ', ',', ', ', ' , ', '|', '||', ' || ', ' - ', '  ', '    ', ' as ')), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.flat().slice(0, -1).join(''));
