import { Template } from 'aws-cdk-lib/assertions';
import type { TemplateFile } from './templates.ts';

/**
 * Throws if resources of a template wait for each other. CDK finds circles by properties and DependsOn alone; CloudFormation also waits
 * for what an UpdatePolicy names.
 */
export const requireNoCircle = ({ Resources }: TemplateFile): void => {
  const waiting = Object.entries(Resources).map(([id, { Properties, UpdatePolicy, DependsOn }]) => [
    id,
    { DependsOn, Properties: [Properties, UpdatePolicy] },
  ]);
  Template.fromJSON({ Resources: Object.fromEntries(waiting) as object });
};
