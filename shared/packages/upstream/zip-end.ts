/** The record at the end of a zip begins so, and ends with a comment of any length (APPNOTE.TXT section 4.3.16). */
const signature = 'PK\x05\x06';
const endBytesMax = 22 + 65_535;

/** Says whether a stream ends as a zip does, of which only the end has to be right: a script may come first that runs it. */
export class ZipEnd {
  #overlap: Uint8Array = new Uint8Array();
  #bytesSince = Number.POSITIVE_INFINITY;

  add(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#overlap, chunk]);
    const at = bytes.lastIndexOf(signature, undefined, 'latin1');
    this.#bytesSince = at === -1 ? this.#bytesSince + chunk.length : bytes.length - at;
    this.#overlap = bytes.subarray(1 - signature.length);
  }

  get isThere(): boolean {
    return this.#bytesSince <= endBytesMax;
  }
}
