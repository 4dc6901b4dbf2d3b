/** The first bits of the fractions of roots of the first primes, which FIPS 180-4 begins and mixes with. */
const primes = Array.from({ length: 312 }, (_, number) => number)
  .filter(
    (number) => number > 1 && Array.from({ length: number - 2 }, (_, at) => at + 2).every((by) => number % by > 0),
  )
  .slice(0, 64);
const fractionOf = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
const start = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(Math.sqrt(prime)));
const constants = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));

const blockBytes = 64;
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The 64 words of a block of 64 bytes. */
const spread = (block: DataView, at: number, words: Int32Array): void => {
  for (let round = 0; round < 16; round += 1) words[round] = block.getInt32(at + round * 4);
  for (let round = 16; round < 64; round += 1) {
    const early = words[round - 15] as number;
    const late = words[round - 2] as number;
    const small = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const large = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[round] = (words[round - 16] as number) + small + (words[round - 7] as number) + large;
  }
};

/** Mixes the words of a block into the eight of the state. To move them as one array takes ten times as long. */
const mix = (state: Int32Array, words: Int32Array): void => {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let round = 0; round < 64; round += 1) {
    const turns = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = h + turns + ((e & f) ^ (~e & g)) + (constants[round] as number) + (words[round] as number);
    const other = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + other) | 0;
  }
  state.set([a, b, c, d, e, f, g, h].map((word, at) => word + (state[at] as number)));
};

/**
 * SHA-256 of bytes that come one piece after the other: `crypto.subtle` wants all at once, and the policy of the page lets no
 * WebAssembly run. All pieces but the last have a multiple of 64 bytes.
 */
export const sha256 = () => {
  const [state, words] = [start.slice(), new Int32Array(64)];
  let length = 0;
  const takeBlock = (view: DataView, at: number): void => {
    spread(view, at, words);
    mix(state, words);
  };
  const take = (bytes: Uint8Array): void => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) takeBlock(view, at);
    length += bytes.length;
  };
  /** Takes the last piece; returns 64 hexadecimal digits. */
  const end = (bytes: Uint8Array): string => {
    const rest = bytes.subarray(bytes.length - (bytes.length % blockBytes));
    take(bytes);
    const last = new DataView(new ArrayBuffer(rest.length < 56 ? blockBytes : 2 * blockBytes));
    new Uint8Array(last.buffer).set([...rest, 0x80]);
    last.setBigUint64(last.byteLength - 8, BigInt(length) * 8n);
    for (let at = 0; at < last.byteLength; at += blockBytes) takeBlock(last, at);
    return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  };
  return { take, end };
};
