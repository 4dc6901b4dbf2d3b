/** Whether an `Accept-Encoding` allows gzip (RFC 9110 section 12.5.3): what it says of gzip goes before what it says of all. */
export const acceptsGzip = (header = ''): boolean => {
  const [, weight] = /\bgzip\b([^,]*)/i.exec(header) ?? /\*([^,]*)/.exec(header) ?? [];
  return weight !== undefined && !/^\s*;\s*q=0(\.0*)?\s*$/i.test(weight);
};
