import { findFormat } from '../../../functions/package-formats.ts';
import type { PackageType } from '../../../shared/package-types.ts';
import { archiveBytesMax } from '../../../shared/packages/formats/tar-archive.ts';

interface OneFile {
  readonly ending: string;
  readonly sentence: string;
  readonly bytesMax?: number;
}

const types: Partial<Record<PackageType, OneFile>> = {
  cargo: {
    ending: '.crate',
    sentence: 'A version of a crate is one file that ends in .crate: make it with cargo package.',
    bytesMax: archiveBytesMax,
  },
  composer: {
    ending: '.zip',
    sentence: 'A version of a package for Composer is one file that ends in .zip: make it with composer archive.',
  },
  debian: {
    ending: '.deb',
    sentence:
      'A version of a package is one file that ends in .deb: make it with dpkg-deb, and send each architecture on its own.',
  },
  gems: {
    ending: '.gem',
    sentence: 'A version of a gem is one file that ends in .gem: make it with gem build.',
  },
  go: {
    ending: '.zip',
    sentence:
      "A version of a Go module is one file that ends in .zip: make it with git archive --prefix=<module>@<version>/ and zip -qd '*/'.",
    bytesMax: 500 * 1024 * 1024,
  },
  helm: {
    ending: '.tgz',
    sentence:
      'A version of a chart is one file that ends in .tgz: make it with helm package, and send its .prov beside it if it is signed.',
    bytesMax: archiveBytesMax,
  },
  npm: {
    ending: '.tgz',
    sentence: 'A version of an npm package is one file that ends in .tgz: make it with npm pack.',
    bytesMax: archiveBytesMax,
  },
  rpm: {
    ending: '.rpm',
    sentence:
      'A version of a package is one file that ends in .rpm: make it with rpmbuild, and send each architecture on its own.',
  },
};

describe('A package type whose version is one file', () => {
  it.each(Object.entries(types))('%s says which file, how to make it, and how large it may be', async (name, type) => {
    const { ending, sentence, bytesMax } = type;
    const found = await findFormat(name as PackageType);
    const check = (...files: readonly (readonly [name: string, size: number])[]) =>
      found?.format.check({ files: files.map(([file, size]) => ({ name: file, size })) });
    const refusal = (detail: string) => expect.objectContaining({ code: 'PACKAGE_INVALID', message: detail });
    const largest = bytesMax ?? 2 ** 40;
    expect(check([`one${ending}`, largest])).toBeUndefined();
    expect(() => check()).toThrow(refusal(sentence));
    expect(() => check(['one.txt', 1])).toThrow(refusal(sentence));
    expect(() => check([`one${ending}`, 1], [`two${ending}`, 1])).toThrow(refusal(sentence));
    expect(() => check([`one${ending}`, 1], ['two.txt', 1])).toThrow(refusal(sentence));
    if (bytesMax === undefined) return;
    const large = refusal(`The ${ending} file must have at most ${bytesMax} bytes.`);
    expect(() => check([`one${ending}`, bytesMax + 1])).toThrow(large);
  });

  it('helm takes one provenance file beside the chart, in any order', async () => {
    const found = await findFormat('helm');
    const check = (...names: readonly string[]) =>
      found?.format.check({ files: names.map((name) => ({ name, size: 1 })) });
    expect(check('one.tgz', 'one.tgz.prov')).toBeUndefined();
    expect(check('one.tgz.prov', 'one.tgz')).toBeUndefined();
    for (const names of [['one.prov'], ['one.prov', 'two.prov'], ['one.tgz', 'one.prov', 'two.prov']])
      expect(() => check(...names)).toThrow(types.helm?.sentence);
  });
});
