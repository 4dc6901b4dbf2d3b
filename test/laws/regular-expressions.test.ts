import { endpoints } from '../../functions/endpoints.ts';
import { isSlow, type Pattern, patterns, product, wrongPatterns } from './slow-patterns.ts';

/** The patterns of the schemas of all endpoints. Their validators compile them with this flag. */
const patternsOfSchemas = (node: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (typeof node !== 'object' || node === null) return found;
  if ('pattern' in node && typeof node.pattern === 'string') found.add(node.pattern);
  for (const child of Object.values(node)) patternsOfSchemas(child, found);
  return found;
};

/** The patterns that modules put together while they are loaded. */
const patternsWhileLoading = (): Pattern[] => {
  const found: Pattern[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [pattern, flags = '']: [string | RegExp, string?]) => {
      found.push({ pattern: typeof pattern === 'string' ? pattern : pattern.source, flags });
      return new target(pattern, flags);
    },
  });
  try {
    for (const { path, text } of product)
      if (/^const .*new RegExp\(/m.test(text)) jest.isolateModules(() => void require(`../../${path}`));
  } finally {
    globalThis.RegExp = original;
  }
  return found;
};

describe('The regular expressions of the product', () => {
  it('are found at all, and a slow one is seen', () => {
    expect(patterns.length).toBeGreaterThan(200);
    for (const pattern of ['(a+)+$', '^(?:\\s*a?\\s*)*b', '\\s+$']) expect(isSlow({ pattern, flags: '' })).toBe(true);
    for (const pattern of ['^a+$', '^[a-z]+-[0-9]+$']) expect(isSlow({ pattern, flags: '' })).toBe(false);
  });

  it('take linear time in schemas, and where modules put them together', () => {
    const schemas = [...patternsOfSchemas(endpoints)].map((pattern) => ({ pattern, flags: 'u' }));
    const composed = patternsWhileLoading();
    expect(schemas.length).toBeGreaterThan(10);
    expect(composed.some(({ pattern }) => pattern.includes('major'))).toBe(true);
    expect([...schemas, ...composed].filter(isSlow)).toEqual([]);
  });

  it('take linear time, but for those of short texts', () => {
    expect(wrongPatterns()).toEqual([]);
  });
});
