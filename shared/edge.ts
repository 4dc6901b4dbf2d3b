// Single values, so that a bundle has those alone that it uses.

/** The header with one of the values of the edge's secret: whoever sends it is CloudFront, or the door. */
export const edgeSecretHeader = 'x-stockroom-edge';

/** The header in which CloudFront names the address of the client: API Gateway and the door see CloudFront's. */
export const viewerHeader = 'x-stockroom-viewer';
