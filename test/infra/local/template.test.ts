import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StackTemplate } from '../../../infra/local/template.ts';

const directory = mkdtempSync(join(tmpdir(), 'stockroom-template-'));
const file = join(directory, 'template.json');
afterAll(() => rmSync(directory, { recursive: true }));

/** What a property of a queue resolves to, in a template that also has a topic, a bucket and a key. */
const resolved = (value: unknown): unknown => {
  const Resources = {
    Queue: { Type: 'AWS::SQS::Queue', Properties: { value } },
    Topic: { Type: 'AWS::SNS::Topic' },
    Store: { Type: 'AWS::S3::Bucket' },
  };
  writeFileSync(file, JSON.stringify({ Resources }));
  return new StackTemplate('Stack', file, new Map()).resources('AWS::SQS::Queue')[0]?.properties.value;
};

describe('A template, as the local runner reads it,', () => {
  it.each<[unknown, unknown]>([
    [{ Ref: 'AWS::StackName' }, 'Stack'],
    [{ Ref: 'Queue' }, 'Stack-Queue'],
    [{ Ref: 'Store' }, 'stack-store'],
    [{ Ref: 'Topic' }, expect.stringMatching(/^arn:aws:.*:us-east-1:000000000000:Stack-Topic$/)],
    [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:Stack-Queue'],
    [{ 'Fn::Join': [':', ['a', { Ref: 'AWS::Partition' }]] }, 'a:aws'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders.
    [{ 'Fn::Sub': '${AWS::Region}/${Queue}' }, 'us-east-1/Stack-Queue'],
    [[{ deep: { Ref: 'AWS::AccountId' } }], [{ deep: '000000000000' }]],
    [
      { Ref: 'Queue', other: 1 },
      { Ref: 'Queue', other: 1 },
    ],
  ])('resolves %j', (value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  it.each([
    [{ 'Fn::ImportValue': 'a' }, 'does not know Fn::ImportValue'],
    [{ 'Fn::ImportValue': 'a' }, 'does not know Fn::ImportValue'],
    [{ 'Fn::GetAtt': ['Queue', 'QueueName'] }, 'does not know the attribute QueueName'],
    [{ Ref: 'Nothing' }, 'refers to Nothing, which it does not have'],
  ])('is refused with %j, which nothing resolves', (value, sentence) => {
    expect(() => resolved(value)).toThrow(sentence);
  });
});
