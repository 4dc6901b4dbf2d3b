/** The source and the type of the events. */
export const eventSource = 'stockroom';
export const eventDetailType = 'Stockroom Change';

/** Lets new records through. Only DynamoDB itself changes one, when it expires. */
export const eventPattern = {
  eventName: ['INSERT'],
  dynamodb: { Keys: { pk: { S: [{ prefix: 'AUDIT#' }] } } },
};

const texts = (prefix: string, names: readonly string[]): string =>
  names.map((name) => `"${name}": <$.dynamodb.NewImage.${prefix}${name}.S>`).join(', ');

/**
 * The detail of an event, version 1, made of the attributes of a record. A new version may add fields, and takes none away. The
 * placeholder of a text has no quotes around it: the pipe writes it as JSON.
 */
export const eventTemplate = `{"version": "1", ${texts('', ['recordId', 'recordedAt', 'action', 'operation', 'requestId', 'sourceAddress'])}, "actor": {${texts('actor.M.', ['kind', 'id', 'name', 'tokenId'])}}, ${texts('', ['workspaceId', 'repositoryId', 'repositoryName'])}, "target": {${texts('target.M.', ['id', 'name'])}}, "concerns": <$.dynamodb.NewImage.concerns.SS>, ${texts('', ['before', 'after'])}}`;
