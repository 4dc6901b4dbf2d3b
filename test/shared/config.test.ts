import { config } from '../../shared/config.ts';

describe('A number of days that the operator sets', () => {
  afterEach(() => {
    delete process.env.RECORD_RETENTION_DAYS;
    delete process.env.UNUSED_TOKEN_DAYS;
  });

  it('counts as it is written', () => {
    Object.assign(process.env, { RECORD_RETENTION_DAYS: '7', UNUSED_TOKEN_DAYS: '30' });
    expect([config.recordRetentionDays, config.unusedTokenDays]).toEqual([7, 30]);
  });

  it.each([undefined, '', '0', '-1', '1.5', 'soon'])('is the default where it is %p', (value) => {
    if (value !== undefined) Object.assign(process.env, { RECORD_RETENTION_DAYS: value, UNUSED_TOKEN_DAYS: value });
    expect([config.recordRetentionDays, config.unusedTokenDays]).toEqual([400, 90]);
  });
});
