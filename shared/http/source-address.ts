import { trustsEdge } from '../config.ts';
import { viewerHeader } from '../edge.ts';
import { headerValuesOf } from './input.ts';

interface SourceEvent {
  readonly multiValueHeaders: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly requestContext: { readonly identity: { readonly sourceIp: string } };
}

/**
 * The address that a request came from. Behind CloudFront API Gateway sees CloudFront's, and CloudFront names that of the client: that
 * counts only where nobody else can send the header, because the firewall lets nobody else through.
 */
export const sourceAddressOf = (event: SourceEvent): string => {
  const [viewer] = trustsEdge() ? headerValuesOf(event, viewerHeader) : [];
  return viewer ?? event.requestContext.identity.sourceIp;
};
