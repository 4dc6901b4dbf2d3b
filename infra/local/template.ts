import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The account and the Region of the local stack. */
export const local = { accountId: '000000000000', region: process.env.AWS_REGION ?? 'us-east-1' };

const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::AccountId': local.accountId,
  'AWS::Partition': 'aws',
  'AWS::Region': local.region,
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Types of resources whose `Ref` is the ARN. */
const namedByArn = new Set(['AWS::Lambda::Version', 'AWS::SNS::Topic', 'AWS::SecretsManager::Secret']);

type Properties = Record<string, unknown>;

interface RawResource {
  readonly Type: string;
  readonly Properties?: Properties;
  readonly Metadata?: Properties;
}

interface Template {
  readonly Resources: Readonly<Record<string, RawResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** A resource of a template with every intrinsic function resolved. */
export interface Resource {
  readonly type: string;
  readonly arn: string;
  readonly properties: Properties;
  readonly metadata: Properties;
}

type Assets = ReadonlyMap<string, string>;

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** The files and folders of the assembly, by the hash that templates use for them. */
export const readAssets = (assembly: string, manifest: string): Assets => {
  const { files } = readJson(join(assembly, manifest)) as { files: Record<string, { source: { path: string } }> };
  return new Map(Object.entries(files).map(([hash, { source }]) => [hash, join(assembly, source.path)]));
};

/** One stack and the stacks nested in it, with the intrinsic functions that this project's templates use. */
export class StackTemplate {
  private readonly template: Template;
  private readonly nested = new Map<string, StackTemplate>();
  private readonly name: string;
  private readonly assets: Assets;
  private readonly parameters: Readonly<Record<string, unknown>>;

  constructor(name: string, file: string, assets: Assets, parameters: Readonly<Record<string, unknown>> = {}) {
    this.name = name;
    this.assets = assets;
    this.parameters = { ...pseudoParameters, 'AWS::StackName': name, ...parameters };
    this.template = readJson(file) as Template;
  }

  /** All resources of one type, including those of nested stacks. */
  resources(type: string): Resource[] {
    const ids = Object.keys(this.template.Resources);
    const own = ids.filter((id) => this.raw(id).Type === type).map((id) => this.resource(id));
    const stacks = ids
      .filter((id) => this.raw(id).Type === 'AWS::CloudFormation::Stack')
      .map((id) => this.nestedStack(id));
    return [...own, ...stacks.flatMap((stack) => stack.resources(type))];
  }

  private raw(id: string): RawResource {
    const resource = this.template.Resources[id];
    if (!resource) throw new Error(`The template of ${this.name} refers to ${id}, which it does not have.`);
    return resource;
  }

  private resource(id: string): Resource {
    const { Type, Properties = {}, Metadata = {} } = this.raw(id);
    return {
      type: Type,
      arn: this.arn(id),
      properties: this.resolve(Properties) as Properties,
      metadata: this.resolve(Metadata) as Properties,
    };
  }

  private nestedStack(id: string): StackTemplate {
    const known = this.nested.get(id);
    if (known) return known;
    const { TemplateURL, Parameters } = this.resolve(this.raw(id).Properties) as {
      TemplateURL: string;
      Parameters?: Properties;
    };
    const hash = /([0-9a-f]{64})\.json$/.exec(TemplateURL)?.[1] ?? '';
    const file = this.assets.get(hash);
    if (!file) throw new Error(`The assembly has no template for the nested stack ${id}.`);
    const stack = new StackTemplate(`${this.name}-${id}`, file, this.assets, Parameters);
    this.nested.set(id, stack);
    return stack;
  }

  private resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', undefined], ...others] = Object.entries(value);
    if (others.length === 0) {
      if (name === 'Ref') return this.ref(String(argument));
      if (name.startsWith('Fn::')) return this.intrinsic(name, argument);
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.resolve(item)]));
  }

  private intrinsic(name: string, argument: unknown): unknown {
    switch (name) {
      case 'Fn::Join': {
        const [separator, parts] = this.resolve(argument) as [string, string[]];
        return parts.join(separator);
      }
      case 'Fn::Sub':
        return String(argument).replaceAll(/\$\{([^}]+)\}/g, (_, target: string) => String(this.ref(target)));
      case 'Fn::Split': {
        const [separator, text] = this.resolve(argument) as [string, string];
        return text.split(separator);
      }
      case 'Fn::Select': {
        const [index, values] = this.resolve(argument) as [number, unknown[]];
        return values[index];
      }
      case 'Fn::GetAtt':
        return this.attribute(...(argument as [string, string]));
      default:
        throw new Error(`The local runner does not know ${name}, which the template of ${this.name} uses.`);
    }
  }

  private ref(target: string): unknown {
    if (target in this.parameters) return this.parameters[target];
    return namedByArn.has(this.raw(target).Type) ? this.arn(target) : this.physicalName(target);
  }

  private attribute(id: string, attribute: string): unknown {
    if (attribute === 'Arn') return this.arn(id);
    if (attribute === 'StreamArn') return `${this.arn(id)}/stream/local`;
    if (attribute === 'FunctionUrl') return `https://${this.physicalName(id)}.lambda-url.${local.region}.on.aws/`;
    const output = attribute.startsWith('Outputs.') ? attribute.slice('Outputs.'.length) : undefined;
    if (!output) throw new Error(`The local runner does not know the attribute ${attribute} of ${id}.`);
    const stack = this.nestedStack(id);
    return stack.resolve(stack.template.Outputs?.[output]?.Value);
  }

  private physicalName(id: string): string {
    const name = `${this.name}-${id}`;
    // Names of buckets have no capitals.
    return this.raw(id).Type === 'AWS::S3::Bucket' ? name.toLowerCase() : name;
  }

  private arn(id: string): string {
    const { Type } = this.raw(id);
    const name = this.physicalName(id);
    const scope = `${local.region}:${local.accountId}`;
    switch (Type) {
      case 'AWS::DynamoDB::Table':
        return `arn:aws:dynamodb:${scope}:table/${name}`;
      case 'AWS::Events::EventBus':
        return `arn:aws:events:${scope}:event-bus/${name}`;
      case 'AWS::Events::Rule':
        return `arn:aws:events:${scope}:rule/${name}`;
      case 'AWS::IAM::Role':
        return `arn:aws:iam::${local.accountId}:role/${name}`;
      case 'AWS::KMS::Key':
        return `arn:aws:kms:${scope}:key/${name}`;
      case 'AWS::Lambda::Function':
        return `arn:aws:lambda:${scope}:function:${name}`;
      case 'AWS::Logs::LogGroup':
        return `arn:aws:logs:${scope}:log-group:${name}:*`;
      case 'AWS::S3::Bucket':
        return `arn:aws:s3:::${name}`;
      case 'AWS::SecretsManager::Secret':
        return `arn:aws:secretsmanager:${scope}:secret:${name}`;
      case 'AWS::SQS::Queue':
        return `arn:aws:sqs:${scope}:${name}`;
      default:
        return `arn:aws:${Type.toLowerCase().replaceAll('::', '-')}:${scope}:${name}`;
    }
  }
}
