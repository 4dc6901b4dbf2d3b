/** Whether an `Accept-Encoding` allows gzip (RFC 9110 section 12.5.3): with a weight of 0 it does not, and `*` says nothing of what is named. */
export const acceptsGzip = (header = ''): boolean =>
  /(\bgzip\b|^(?!.*gzip).*\*)(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(header);
