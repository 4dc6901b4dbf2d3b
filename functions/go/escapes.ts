/**
 * Module paths and versions in URLs (https://go.dev/ref/mod#goproxy-protocol): `!` and the lower-case letter stand for a capital, so
 * that two paths never differ in case alone.
 */
export const escapedText = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);

/** The text that was escaped; undefined if it is not ASCII, or contains a capital, or a `!` before anything but a small letter. */
export const unescapedText = (escaped: string): string | undefined =>
  /^(?:[ "-@[-~]|![a-z])*$/.test(escaped)
    ? escaped.replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : undefined;
