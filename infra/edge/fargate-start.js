// Runs in the container of the door. Fargate gives a task its credentials at an address and changes them every few hours;
// the bundle reads them from the variables that Lambda sets. CloudFormation would take the braces of a template string for its own.
import { createRequire } from 'node:module';

const host = process.env.CREDENTIALS_HOST ?? 'http://169.254.170.2';
const address = host + process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;

const readCredentials = async () => {
  const answer = await fetch(address, { signal: AbortSignal.timeout(5_000) });
  if (!answer.ok) throw new Error('The credentials of the task cannot be read.', { cause: answer.status });
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = await answer.json();
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: AccessKeyId,
    AWS_SECRET_ACCESS_KEY: SecretAccessKey,
    AWS_SESSION_TOKEN: Token,
    AWS_CREDENTIAL_EXPIRATION: Expiration,
  });
};

const renew = () =>
  readCredentials().catch(({ message }) => console.error(JSON.stringify({ level: 'ERROR', message })));

await readCredentials();
setInterval(renew, Number(process.env.CREDENTIALS_MILLISECONDS ?? 60_000)).unref();
createRequire('/')(process.env.DOOR_BUNDLE ?? '/bundle/index.js');
