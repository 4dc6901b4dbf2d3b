import { endpoints } from '../../functions/endpoints.ts';
import { functionIdMetadata } from '../../infra/api/function-metadata.ts';
import { type Synthesis, settingsOf, synthesisOfDev, synthesisWithDoor, type TemplateResource } from './templates.ts';

const without = synthesisOfDev();
const withDoor = synthesisWithDoor();

interface Statement {
  readonly Action: string | readonly string[];
}

const statementsOf = (role: TemplateResource | undefined): Statement[] => {
  const { Policies = [] } = (role?.Properties ?? {}) as {
    Policies?: { PolicyDocument: { Statement: Statement[] } }[];
  };
  return Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};

/** The actions of each function's role, the variables, and the time that it has. */
const functionsOf = ({ templates }: Synthesis) =>
  new Map(
    templates.flatMap(([, { Resources }]) =>
      Object.values(Resources).flatMap(({ Metadata, Properties = {}, Type }) => {
        const id = Metadata?.[functionIdMetadata];
        if (typeof id !== 'string' || Type !== 'AWS::Lambda::Function') return [];
        const role = Resources[(Properties.Role as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]];
        const { Variables } = Properties.Environment as { Variables: Readonly<Record<string, unknown>> };
        const actions = statementsOf(role)
          .flatMap(({ Action }) => Action)
          .toSorted();
        return [[id, { actions, variables: Object.keys(Variables), seconds: Properties.Timeout }] as const];
      }),
    ),
  );

const [before, after] = [functionsOf(without), functionsOf(withDoor)];

describe('A stage with a door', () => {
  const receiving = endpoints
    .filter(({ request }) => request && 'stagedBytesMax' in request)
    .map(({ id }): string => id);

  it('lets the functions that take bodies verify a reference, use it once and read the body, in 29 seconds', () => {
    for (const id of receiving) {
      const { actions = [], variables } = after.get(id) ?? {};
      expect(actions).toEqual(expect.arrayContaining(['dynamodb:PutItem', 'kms:VerifyMac', 's3:GetObject']));
      expect([id, after.get(id)?.seconds]).toEqual([id, 29]);
      expect(variables).toEqual(expect.arrayContaining(['DOOR_KEY_ID', 'STORE_BUCKET', 'TABLE_NAME']));
      const more = actions.filter((action) => !before.get(id)?.actions.includes(action));
      const forBodies = ['kms:VerifyMac', 's3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'];
      expect(forBodies).toEqual(expect.arrayContaining(more));
    }
  });

  it('gives no other function any right, variable or time', () => {
    for (const [id, facts] of before) if (!receiving.includes(id)) expect([id, after.get(id)]).toEqual([id, facts]);
    expect([...after.values()].flatMap(({ actions }) => actions)).not.toContain('kms:GenerateMac');
  });

  it('has a key for HMACs, which the account alone manages', () => {
    withDoor.template.hasResource('AWS::KMS::Key', {
      Properties: {
        Description: 'References to received bodies',
        KeySpec: 'HMAC_256',
        KeyUsage: 'GENERATE_VERIFY_MAC',
        KeyPolicy: { Statement: [{ Action: 'kms:*', Effect: 'Allow', Resource: '*' }] },
      },
      DeletionPolicy: 'Delete',
    });
    without.template.resourceCountIs('AWS::KMS::Key', 3);
  });

  it('has a role for the door, which writes the staging area and blobs, and signs, and nothing else', () => {
    const roles = withDoor.template.findResources('AWS::IAM::Role', { Metadata: { [functionIdMetadata]: 'door' } });
    expect(Object.values(roles).flatMap((role) => statementsOf(role as TemplateResource))).toEqual([
      {
        Effect: 'Allow',
        Action: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:PutObject'],
        Resource: {
          'Fn::Join': ['', [{ 'Fn::GetAtt': [expect.stringMatching(/^Store/), 'Arn'] }, '/staging/*']],
        },
      },
      {
        Effect: 'Allow',
        Action: 's3:PutObject',
        Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': [expect.stringMatching(/^Store/), 'Arn'] }, '/blobs/*']] },
      },
      {
        Effect: 'Allow',
        Action: 'kms:GenerateMac',
        Resource: { 'Fn::GetAtt': [expect.stringMatching(/^DoorKey/), 'Arn'] },
      },
    ]);
  });

  it('is not what cdk.json says', () => {
    expect([settingsOf('dev').uploads, settingsOf('prod').uploads]).toEqual(['gateway', 'gateway']);
  });
});
