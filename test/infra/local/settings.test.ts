import { readSettings } from '../../../infra/local/settings.ts';
import { StartError } from '../../../infra/local/start-error.ts';

describe('The settings of a local start', () => {
  it('are those of this machine alone when no variable is set, or only empty ones', () => {
    const defaults = {
      host: '127.0.0.1',
      port: 3000,
      hasDoor: true,
      dataDir: '.stockroom',
      dynamodbEndpoint: undefined,
      s3Endpoint: undefined,
      firstAdmin: { username: undefined, password: undefined, tokenFile: undefined },
      environment: {},
    };
    expect(readSettings({})).toEqual(defaults);
    const names = `HOST PORT DATA_DIR DYNAMODB_ENDPOINT S3_ENDPOINT
      STOCKROOM_ADMIN_USERNAME STOCKROOM_ADMIN_PASSWORD STOCKROOM_ADMIN_TOKEN_FILE
      ALLOWED_PRIVATE_UPSTREAMS MAX_BATCH_REPOSITORIES UNUSED_TOKEN_DAYS RECORD_RETENTION_DAYS READ_ONLY UPLOADS READS READS_PORT`.split(
      /\s+/,
    );
    expect(readSettings(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(defaults);
  });

  it('hand on to the functions what an operator of a deployment sets in cdk.json', () => {
    const environment = {
      ALLOWED_PRIVATE_UPSTREAMS: '10.0.0.0/8',
      MAX_BATCH_REPOSITORIES: '50',
      UNUSED_TOKEN_DAYS: '30',
      RECORD_RETENTION_DAYS: '7',
      ECHO_UPSTREAM_PASSWORD: 'true',
      READ_ONLY: 'true',
    };
    expect(readSettings({ ...environment, HOME: '/home/robin' }).environment).toEqual(environment);
  });

  it.each([
    ['door', true],
    ['gateway', false],
  ])('UPLOADS=%s has a door: %s', (UPLOADS, hasDoor) => {
    expect(readSettings({ UPLOADS }).hasDoor).toBe(hasDoor);
  });

  it.each([
    [{ READS: 'url' }, 3001],
    [{ READS: 'url', READS_PORT: '0' }, 0],
    [{ READS: 'gateway', READS_PORT: '7' }, undefined],
  ])('with %j, the front for reads has the port %s', (variables, port) => {
    expect(readSettings(variables).readsPort).toBe(port);
  });

  it('refuse a port of the front with a sentence', () => {
    expect(() => readSettings({ READS: 'url', READS_PORT: 'x' })).toThrow(
      "READS_PORT is 'x': set it to a number from 0 to 65535.",
    );
  });

  it.each([
    [{ PORT: '3576', READS_PORT: '3576' }, 3576],
    [{ PORT: '3001' }, 3001],
    [{ READS_PORT: '3000' }, 3000],
  ])('refuse one port for both: %j', (variables, port) => {
    expect(() => readSettings({ READS: 'url', ...variables })).toThrow(
      `PORT and READS_PORT are both ${port}: set one of them to another number.`,
    );
    expect(() => readSettings(variables)).not.toThrow();
  });

  it('take any free port for each', () => {
    expect(readSettings({ READS: 'url', PORT: '0', READS_PORT: '0' })).toMatchObject({ port: 0, readsPort: 0 });
  });

  it.each(['0', '1', '65535'])('take the port %s', (PORT) => {
    expect(readSettings({ PORT }).port).toBe(Number(PORT));
  });

  it.each(['http', '65536', '-1', '80a', '1e3', ' 80', '0x50'])('refuse the port %j with a sentence', (PORT) => {
    expect(() => readSettings({ PORT })).toThrow(`PORT is '${PORT}': set it to a number from 0 to 65535.`);
  });

  it.each([
    ['MAX_BATCH_REPOSITORIES', '0'],
    ['MAX_BATCH_REPOSITORIES', '101'],
    ['MAX_BATCH_REPOSITORIES', 'ten'],
    ['UNUSED_TOKEN_DAYS', '0'],
    ['UNUSED_TOKEN_DAYS', '10000'],
    ['RECORD_RETENTION_DAYS', '0'],
    ['RECORD_RETENTION_DAYS', '3651'],
    ['ECHO_UPSTREAM_PASSWORD', 'yes'],
    ['ECHO_UPSTREAM_PASSWORD', 'TRUE'],
    ['UPLOADS', 'web-function'],
    ['READS', 'edge'],
    ['DYNAMODB_ENDPOINT', 'foo'],
    ['DYNAMODB_ENDPOINT', 'localhost:8000'],
    ['S3_ENDPOINT', 'foo'],
    ['S3_ENDPOINT', '127.0.0.1:9000'],
  ])('refuse %s=%s with a sentence', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(`${name} is '${value}': set it to `);
  });

  it.each([
    ['MAX_BATCH_REPOSITORIES', '101', 'a number from 1 to 100'],
    ['ECHO_UPSTREAM_PASSWORD', 'yes', 'true or false'],
    ['READ_ONLY', '1', 'true or false'],
    ['S3_ENDPOINT', 'foo', 'a URL such as http://127.0.0.1:8000'],
  ])('say what %s can be when it is %s', (name, value, choice) => {
    expect(() => readSettings({ [name]: value })).toThrow(
      new StartError(`${name} is '${value}': set it to ${choice}.`),
    );
  });

  it('refuse private upstreams of which one can match no host', () => {
    const refused = (list: string) => () => readSettings({ ALLOWED_PRIVATE_UPSTREAMS: list });
    expect(refused('10.0.0.0/8, Nexus.internal,nexus.internal:8081')).toThrow(
      /^ALLOWED_PRIVATE_UPSTREAMS has the entry 'nexus\.internal:8081': list hosts and CIDR ranges without a scheme or a port, such as nexus\.internal,10\.0\.0\.0\/8\.$/,
    );
    expect(refused('10.0.0.0/8, Nexus.internal,fd00::1,')).not.toThrow();
  });

  it.each([
    ['MAX_BATCH_REPOSITORIES', '1'],
    ['MAX_BATCH_REPOSITORIES', '100'],
    ['UNUSED_TOKEN_DAYS', '9999'],
    ['RECORD_RETENTION_DAYS', '3650'],
    ['ECHO_UPSTREAM_PASSWORD', 'true'],
    ['ECHO_UPSTREAM_PASSWORD', 'false'],
    ['DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000'],
    ['S3_ENDPOINT', 'https://s3.example.com/'],
  ])('take %s=%s', (name, value) => {
    expect(() => readSettings({ [name]: value })).not.toThrow();
  });
});
