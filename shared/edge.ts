// Single values, so that a bundle has those alone that it uses.

/** The header with one of the values of the edge's secret: whoever sends it is CloudFront, or the door. */
export const edgeSecretHeader = 'x-stockroom-edge';

/**
 * The header in which CloudFront hands the credential of a client to the front for reads: `Authorization` has the signature by which
 * CloudFront itself may call the function. CloudFront always overwrites what a client sends in it.
 */
export const credentialHeader = 'x-stockroom-authorization';

/** What the paths of files at CloudFront begin with: `/_blobs/<workspace>/<sha256>.<object ID>/<name>`. */
export const downloadsPath = '/_blobs/';

/** The header in which CloudFront names the address of the client: API Gateway and the door see CloudFront's. */
export const viewerHeader = 'x-stockroom-viewer';
