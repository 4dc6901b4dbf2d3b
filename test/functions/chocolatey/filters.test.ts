import { ApiError } from '../../../shared/errors.ts';
import { parseFilter } from '../../../shared/packages/nupkg-feed/filters.ts';
import { type KnownProperties, matches, namesOf, partsOf } from '../../../shared/packages/nupkg-feed/matching.ts';

const tool: KnownProperties = {
  Id: 'Acme.Tool',
  Title: null,
  Description: "It's a tool for all",
  Tags: ' gateway net ',
  Version: '1.10.0-Beta+build',
  NormalizedVersion: '1.10.0-Beta',
  IsPrerelease: true,
  IsLatestVersion: false,
  IsAbsoluteLatestVersion: true,
};

describe('A filter', () => {
  it.each([
    // choco
    ["(tolower(Id) eq 'acme.tool') and IsLatestVersion", false],
    ["(tolower(Id) eq 'acme.tool') and IsAbsoluteLatestVersion", true],
    ["tolower(Id) eq 'acme.tool' and IsLatestVersion eq true", false],
    [
      "((Id ne null) and substringof('tool',tolower(Id))) or ((Tags ne null) and substringof(' x ',tolower(Tags)))",
      true,
    ],
    [
      "(((Id ne null) and substringof('x.',tolower(Id))) or ((Description ne null) and substringof('for all',tolower(Description)))) or ((Tags ne null) and substringof(' x ',tolower(Tags)))",
      true,
    ],
    ["((Tags ne null) and substringof(' gateway ',tolower(Tags)))", true],
    ["startswith(tolower(Id),'acme.')", true],
    ["startswith(tolower(Id),'tool')", false],
    ["(Title ne null) and substringof('a',Title)", false],
    ["substringof('a',Title)", false],
    // PowerShell
    ["Id eq 'Acme.Tool' and NormalizedVersion eq '1.10.0-beta'", true],
    [
      "NormalizedVersion ge '1.9.0' and NormalizedVersion le '1.10.0' and IsPrerelease eq false and Id eq 'Acme.Tool'",
      false,
    ],
    ["NormalizedVersion gt '1.9.0' and NormalizedVersion lt '1.10.0' and IsPrerelease eq true", true],
    ["NormalizedVersion lt '1.9.0'", false],
    ["IsAbsoluteLatestVersion and startswith(Id, 'ACME') and endswith(Id, 'Tool')", true],
    ["IsAbsoluteLatestVersion and substringof('NET', Tags) eq true", true],
    ["substringof('NET', Tags) eq false", false],
    ['IsAbsoluteLatestVersion and not IsPrerelease', false],
    ["Version eq '1.10-beta'", true],
    // The order of the operators, and quotes.
    ["Id eq 'a' and IsPrerelease or IsPrerelease", true],
    ["IsPrerelease or Id eq 'a' and IsLatestVersion", true],
    ["(IsPrerelease or Id eq 'a') and IsLatestVersion", false],
    ["substringof('it''s',Description)", true],
    ['Title eq null', true],
    ['Title ne null', false],
    ["Title eq 'x'", false],
    ["Title ne 'x'", true],
    ["Title gt 'x'", false],
    ["Id ge 'acme.tool' and Id le 'ACME.TOOL' and Id ne 'x'", true],
  ])('%s is %s of a version', (text, expected) => {
    expect(matches(parseFilter(text), tool)).toBe(expected);
  });

  it.each([
    '',
    'Id',
    'Id eq',
    "Id eq 'a",
    'Id eq 1',
    "Id == 'a'",
    "Id eq 'a' and",
    "(Id eq 'a'",
    "Id eq 'a')",
    "toupper(Id) eq 'A'",
    'length(Id) gt 3',
    "Downloads gt '1'",
    "substringof(Id,'a')",
    "startswith('a',Id)",
    'IsLatestVersion eq 1',
    'IsLatestVersion ne true',
    `${'('.repeat(101)}IsLatestVersion${')'.repeat(101)}`,
  ])('%s is refused, with a sentence that says what could be', (text) => {
    expect(() => parseFilter(text)).toThrow(ApiError);
    expect(() => parseFilter(text)).toThrow(/\$filter takes IsLatestVersion, .+substringof/);
  });

  it('of 100 parentheses is read', () => {
    expect(matches(parseFilter(`${'('.repeat(100)}IsPrerelease${')'.repeat(100)}`), tool)).toBe(true);
  });

  it.each([
    ["tolower(Id) eq 'a' and IsLatestVersion", ['a']],
    ["IsLatestVersion and (Id eq 'A' or Id eq 'b' or Id eq 'a')", ['a', 'b']],
    ['Id eq null', []],
    ["Id eq 'a' or IsLatestVersion", undefined],
    ["Id ne 'a'", undefined],
    ['IsLatestVersion', undefined],
  ])('%s is about the packages %j', (text, expected) => {
    expect(namesOf(parseFilter(text))).toEqual(expected);
  });

  it.each([
    ["IsLatestVersion and startswith(Id,'acme')", 'acme.tool', undefined],
    ["IsLatestVersion and startswith(Id,'acme')", 'other', false],
    ["startswith(Id,'acme') or substringof('x',Tags)", 'other', undefined],
    ["startswith(Id,'acme') or substringof('x',Tags)", 'acme', true],
    ['not IsLatestVersion', 'other', undefined],
  ])('%s says of the package %s, before its versions are known: %s', (text, Id, expected) => {
    expect(matches(parseFilter(text), { Id })).toBe(expected);
  });

  it('has the texts that it looks for', () => {
    expect(
      partsOf(parseFilter("(substringof('X',Id) or startswith(Id,'x')) and endswith(Id,'y') and Id ne 'z'")),
    ).toEqual(['x', 'y']);
  });
});
