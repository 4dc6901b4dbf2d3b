import { endpoint } from '../../shared/http/endpoint.ts';
import { renderDocument } from '../../shared/packages/formats/xml.ts';
import { serviceDocument } from '../../shared/packages/nupkg-feed/service-documents.ts';
import { urlsOf } from '../../shared/packages/nupkg-protocol/addresses.ts';
import { requireType } from '../../shared/packages/sources/package-address.ts';
import { getChocolateyService } from './contracts.ts';
import { chocolatey } from './type.ts';

export const handler = endpoint(getChocolateyService, async (call) => {
  requireType(call.repository, chocolatey);
  const content = renderDocument(serviceDocument(urlsOf(chocolatey, call).of));
  return { kind: 'bytes', mediaType: 'application/xml', content };
});
