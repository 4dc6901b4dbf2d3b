import { checkFields } from '../../../functions/pypi/upload-form.ts';
import { fileInMemory } from '../../../shared/store/received-file.ts';

/** The hashes of `abc`: RFC 7693 and FIPS 180 have such examples; this one of BLAKE2b with 32 bytes is of Python's hashlib. */
const hashes = {
  blake2_256_digest: 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319',
  sha256_digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  md5_digest: '900150983cd24fb0d6963f7d28e17f72',
};

const check = async (fields: Readonly<Record<string, string>>): Promise<void> =>
  checkFields(new Map(Object.entries(fields).map(([name, value]) => [name, [value]])), {
    kind: 'wheel',
    file: 'acme-1.0-py3-none-any.whl',
    received: fileInMemory(Buffer.from('abc')),
    project: 'acme',
    displayName: 'acme',
    version: '1.0',
  });

describe('The fields of an upload', () => {
  it('may be all hashes, in capitals too', async () => {
    await check(hashes);
    await check(Object.fromEntries(Object.entries(hashes).map(([name, hash]) => [name, hash.toUpperCase()])));
  });

  it.each(Object.keys(hashes))('have the %s of the file', async (name) => {
    await expect(check({ ...hashes, [name]: 'ab'.repeat(32) })).rejects.toThrow(name);
  });

  it('may be empty, as uv sends what it does not know', async () => {
    await check({ md5_digest: '', name: 'ACME', version: 'v1.0' });
  });
});
