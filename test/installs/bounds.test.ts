import { judge } from './bounds.ts';
import type { Client } from './client.ts';
import type { ServedInstallation, ServedRound } from './measuring.ts';
import { faultsOf } from './table.ts';

const client = (name: string, peer?: Client['peer']): Client => ({
  name,
  packageType: 'npm',
  registry: 'https://registry.example.com',
  hosts: [],
  ...(peer && { peer }),
  prepare: async () => '1.0.0',
  commandsIn: () => [],
  packagesIn: () => 1,
});

const made = (seconds: number, processorSeconds: number): ServedInstallation => ({
  packages: 1,
  seconds,
  processorSeconds,
  clientProcessorSeconds: 0,
});

const round = (cold: ServedInstallation, warm: ServedInstallation): ServedRound => ({
  cold,
  warm,
  peakBytes: 0,
  finalBytes: 0,
  failedAnswers: 0,
});

const verdicts = (...parameters: Parameters<typeof judge>) =>
  judge(...parameters).map(({ sentence, holds }) => [sentence, holds]);

const peer = [round(made(10, 10), made(10, 10))];

describe('An installation through Stockroom', () => {
  it.each([
    ['as slow and as dear as it may be', 12, 15, 10, [true, true, true]],
    ['that is slow when cold', 12.1, 15, 10, [false, true, true]],
    ['that is dear when cold', 12, 15.1, 10, [true, false, true]],
    ['that is slow when warm', 12, 15, 10.1, [true, true, false]],
  ] as const)('%s is judged by Verdaccio', (_, cold, processor, warm, expected) => {
    const stockroom = [round(made(cold, processor), made(warm, 99))];
    const measured = { client: client('npm', 'Verdaccio'), direct: [made(1, 0)], stockroom, peer };
    expect(judge(measured).map(({ holds }) => holds)).toEqual(expected);
    expect(faultsOf(measured)).toHaveLength(expected.filter((holds) => !holds).length);
  });

  it('is judged by the times of proxpi alone for Python', () => {
    const stockroom = [round(made(12, 99), made(13, 99))];
    expect(verdicts({ client: client('uv', 'proxpi'), direct: [made(1, 0)], stockroom, peer })).toEqual([
      ['uv: the cold time is 1.20 × that of proxpi; at most 1.2 ×: holds.', true],
      ['uv: the warm time is 1.30 × that of proxpi; at most 1.2 ×: DOES NOT HOLD.', false],
    ]);
  });

  it('is judged by direct ones when it is warm, where there is no peer', () => {
    const stockroom = [round(made(99, 99), made(2.5, 99))];
    const direct = [made(2, 0), made(100, 0), made(1, 0)];
    expect(verdicts({ client: client('go'), direct, stockroom, peer: [] })).toEqual([
      ['go: the warm time is 1.25 × that of a direct installation; at most 1.2 ×: DOES NOT HOLD.', false],
    ]);
  });

  it('is judged by what succeeded, and not without something to compare it with', () => {
    const failed = { ...made(1, 1), failure: 'no network' };
    const stockroom = [round(failed, made(10, 1)), round(made(20, 1), made(10, 1))];
    const npm = client('npm', 'Verdaccio');
    expect(judge({ client: npm, direct: [], stockroom, peer }).map(({ holds }) => holds)).toEqual([false, true, true]);
    expect(judge({ client: npm, direct: [], stockroom, peer: [] })).toEqual([]);
  });
});
