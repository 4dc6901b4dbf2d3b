import { UnderWay } from '../../../shared/door/under-way.ts';
import { ApiError } from '../../../shared/errors.ts';

describe('What somebody has under way', () => {
  it('is at most so much, whatever others have, and what ends makes room once', () => {
    const underWay = new UnderWay(2, 'Two are under way.');
    const end = underWay.begin('robin');
    underWay.begin('robin');
    expect(() => underWay.begin('robin')).toThrow(new ApiError('RATE_LIMITED', 'Two are under way.'));
    underWay.begin('sam');
    end();
    end();
    underWay.begin('robin');
    expect(() => underWay.begin('robin')).toThrow('Two are under way.');
  });
});
