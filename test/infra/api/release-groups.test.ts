import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inGroups, releaseInGroups } from '../../../infra/api/release-groups.ts';

const stacks = (...counts: number[]) => counts.map((aliases, index) => ({ stack: `${index}`, aliases }));

describe('the groups of a release', () => {
  it('have at most as many aliases as may move at once, in the order of the stacks', () => {
    expect(inGroups(stacks(2, 3, 4, 5), 5)).toEqual([['0', '1'], ['2'], ['3']]);
    expect(inGroups(stacks(1, 0, 4, 1), 5)).toEqual([['0', '2'], ['3']]);
  });

  it('are one while all aliases may move at once', () => {
    expect(inGroups(stacks(5, 9))).toEqual([['0', '1']]);
    expect(inGroups(stacks(0))).toEqual([]);
  });

  it('are deployed one after the other', () => {
    const parent = new Stack(new App(), 'Parent');
    const nested = ['First', 'Second', 'Third'].map((id) => ({ stack: new NestedStack(parent, id), aliases: 10 }));
    releaseInGroups(nested);
    const found = Template.fromStack(parent).findResources('AWS::CloudFormation::Stack');
    const after = Object.entries(found).map(([id, { DependsOn = [] }]) => [
      id.slice(0, 'First'.length),
      (DependsOn as readonly string[]).map((each) => each.slice(0, 'First'.length)),
    ]);
    expect(after).toEqual([
      ['First', []],
      ['Secon', ['First']],
      ['Third', ['Secon']],
    ]);
  });
});
