import { isConstraint } from '../../../functions/composer/constraints.ts';
import { constraints, noConstraints } from './constraints.ts';

describe('a constraint of Composer', () => {
  it.each(constraints)('is %j', (text) => {
    expect(isConstraint(text)).toBe(true);
  });

  it.each(noConstraints)('is not %j', (text) => {
    expect(isConstraint(text)).toBe(false);
  });
});
