import type { NestedStack } from 'aws-cdk-lib';

/** The maximum number of aliases that begin to move together: Lambda moves fifteen in a second, and one is the authorizer's. */
export const aliasesAtOnceMax = 14;

/** A nested stack, and how many of its aliases move step by step. */
export interface StackOfAliases<S> {
  readonly stack: S;
  readonly aliases: number;
}

/** Parts stacks into groups, in their order, with at most so many aliases each. A stack of more is a group of its own. */
export const inGroups = <S>(stacks: readonly StackOfAliases<S>[], max = aliasesAtOnceMax): S[][] => {
  const groups: S[][] = [];
  let left = 0;
  for (const { stack, aliases } of stacks.filter((each) => each.aliases > 0)) {
    if (aliases > left) {
      groups.push([]);
      left = max;
    }
    groups.at(-1)?.push(stack);
    left -= aliases;
  }
  return groups;
};

/** Lets each group of stacks be deployed after the one before it, so that the aliases of one group move at a time. */
export const releaseInGroups = (stacks: readonly StackOfAliases<NestedStack>[]): void => {
  const groups = inGroups(stacks);
  for (const [index, group] of groups.entries())
    for (const stack of group) for (const before of groups[index - 1] ?? []) stack.addStackDependency(before);
};
