import { baseScore, severityOfScore } from '../../../functions/advisories/cvss.ts';

describe('The base score of a vector of CVSS', () => {
  // From the examples of www.first.org/cvss/v4-0/examples and v3-1/examples.
  it.each([
    ['CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.3],
    ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 7.7],
    ['CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:L/SC:N/SI:N/SA:N', 8.3],
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N', 0],
    ['CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N', 6.4],
    ['CVSS:3.0/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N', 3.1],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', 0],
  ])('of %s is %d', (vector, score) => {
    expect(baseScore(vector)).toBe(score);
  });

  it('leaves out what the other metrics say', () => {
    expect(baseScore('CVSS:4.0/AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U')).toBe(7.3);
    expect(baseScore('CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N/E:U/RL:O')).toBe(6.4);
  });

  it.each([
    '',
    'high',
    'AV:N/AC:L/Au:N/C:P/I:P/A:P',
    'CVSS:3.1/AV:N/AC:L',
    'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:L/SC:N/SI:N',
    'CVSS:4.0/AV:Q/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    'CVSS:5.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N',
    `CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N${'/E:U'.repeat(200)}`,
  ])('is none of %j', (vector) => {
    expect(baseScore(vector)).toBeUndefined();
  });

  it('has a word', () => {
    const words = [0, 0.1, 3.9, 4, 6.9, 7, 8.9, 9, 10].map(severityOfScore);
    const low = ['low', 'low', 'moderate', 'moderate'];
    expect(words).toEqual([null, ...low, 'high', 'high', 'critical', 'critical']);
  });
});
