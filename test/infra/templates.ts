import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { doorFunctionId } from '../../infra/api/function-metadata.ts';
import { readSettings, type Settings } from '../../infra/settings.ts';
import { StockroomStack } from '../../infra/stack.ts';
import type { Contract } from '../../shared/http/contract.ts';
import { assemblyDirectory, assemblyWithDoor } from '../harness/assembly.ts';
import { synthesiseQuietly } from './quiet-synthesis.ts';

/** A resource as a template holds it. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
}

export type Resources = Readonly<Record<string, TemplateResource>>;

export interface TemplateFile {
  readonly Resources: Resources;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

/** All templates that one synthesis made, by file name; the outer stack's is the first. */
export type Templates = readonly (readonly [file: string, template: TemplateFile])[];

export type StageName = keyof typeof cdkJson.context.stages;

export interface Variant {
  readonly stage: StageName;
  readonly change?: Partial<Settings>;
  readonly endpoints?: readonly Contract[];
  /** Puts more into the stack. */
  readonly extend?: (stack: StockroomStack) => void;
  /** Whether CDK and cdk-nag look for flaws: a finding throws. It takes two thirds of a synthesis. */
  readonly isValidated?: boolean;
}

/** Whom the alarms of prod reach here. */
export const alarmEmail = 'alarms@example.com';

/** The settings of a stage in cdk.json. */
export const settingsOf = (stage: StageName): Settings => readSettings(cdkJson.context.stages, stage);

/** What a synthesis made. */
export interface Synthesis {
  readonly templates: Templates;
  readonly resources: readonly TemplateResource[];
  /**
   * All resources in one template. Each action that a statement of a function's role names is a `Right` beside them, and
   * each gateway response in the document of the API is what it would be as a resource.
   */
  readonly template: Template;
  /** The acknowledged findings of cdk-nag, by the acknowledgement's id; none where nothing was validated. */
  readonly acknowledged: readonly string[];
  /** What the CDK CLI prints before a deployment, by its ID; warnings are marked. */
  readonly notes: Readonly<Record<string, string>>;
  readonly isProtected: boolean;
}

const rightsOf = ({ Properties }: TemplateResource): TemplateResource[] => {
  const { AssumeRolePolicyDocument = {}, Policies = [] }: RoleProperties = Properties ?? {};
  if (!JSON.stringify(AssumeRolePolicyDocument).includes('lambda.amazonaws.com')) return [];
  const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  return statements.flatMap((statement) =>
    [statement.Action].flat().map((Action) => ({ Type: 'Right', Properties: { ...statement, Action } })),
  );
};

const gatewayResponsesOf = ({ Properties = {} }: TemplateResource): TemplateResource[] => {
  const body = Properties.Body as ApiBody;
  return Object.entries(body['x-amazon-apigateway-gateway-responses']).map(([ResponseType, response]) => ({
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: { ResponseType, ...response },
  }));
};

/** What stands inside a resource as if it were one. */
const partsOf = (resource: TemplateResource): TemplateResource[] => {
  if (resource.Type === 'AWS::IAM::Role') return rightsOf(resource);
  return resource.Type === 'AWS::ApiGateway::RestApi' ? gatewayResponsesOf(resource) : [];
};

const flatten = (templates: Templates): Template => {
  const named = templates.flatMap(([file, { Resources }]) =>
    Object.entries(Resources).flatMap(([id, resource]) =>
      [resource, ...partsOf(resource)].map((part, number) => [`${file} ${id} ${number}`, part] as const),
    ),
  );
  // These names are no logical IDs, so there is no circle to be found.
  return Template.fromJSON({ Resources: Object.fromEntries(named) }, { skipCyclicalDependenciesCheck: true });
};

const notesIn = (metadata: Metadata, name: string): Record<string, string> =>
  Object.fromEntries(
    (metadata[`/${name}`] ?? [])
      .filter(({ type }) => ['aws:cdk:info', 'aws:cdk:warning', 'aws:cdk:error'].includes(type))
      .map(({ type, data }) => [
        /\[ack: (.+)\]$/.exec(data)?.[1] ?? data,
        `${type.slice('aws:cdk:'.length)}: ${data.replace(/ \[ack: .+\]$/, '')}`,
      ]),
  );

const readSynthesis = (directory: string, name: string): Synthesis => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const nested = Object.values((read(`${name}.assets.json`) as AssetManifest).files)
    .map(({ source }) => source.path)
    .filter((path) => path.endsWith('.nested.template.json'));
  const templates = [`${name}.template.json`, ...nested].map((file) => [file, read(file) as TemplateFile] as const);
  return {
    templates,
    resources: templates.flatMap(([, { Resources }]) => Object.values(Resources)),
    template: flatten(templates),
    notes: notesIn(read(`${name}.metadata.json`) as Metadata, name),
    isProtected: (read('manifest.json') as Manifest).artifacts[name]?.properties?.terminationProtection === true,
    acknowledged: !existsSync(join(directory, 'validation-report.json'))
      ? []
      : (read('validation-report.json') as Report).pluginReports.flatMap(({ suppressedViolations = [] }) =>
          suppressedViolations.map(({ acknowledgedId }) => acknowledgedId),
        ),
  };
};

/** The very assembly that this test run serves. */
export const synthesisOfDev = (): Synthesis => readSynthesis(assemblyDirectory(), 'Stockroom-dev');

/** The one with a door. */
export const synthesisWithDoor = (): Synthesis => readSynthesis(assemblyWithDoor(), 'Stockroom-dev');

/**
 * Synthesises in this process. Any folder will do as bundle, because templates know bundles by their hash alone.
 */
export const synthesiseVariant = ({
  stage,
  change = {},
  endpoints,
  extend,
  isValidated = false,
}: Variant): Synthesis => {
  const outdir = mkdtempSync(join(tmpdir(), 'stockroom-template-'));
  try {
    // Nobody reads the tree of the constructs here.
    const app = new App({ context: cdkJson.context, outdir, treeMetadata: false });
    // With an address for alarms, the synthesis of prod warns of nothing.
    const settings = { ...settingsOf(stage), ...(stage === 'prod' && { alarmEmail }), ...change };
    const name = `Stockroom-${stage}`;
    const stack = new StockroomStack(app, name, {
      settings,
      // Its own host wants the file of the door.
      bundleOf: (id) => (id === doorFunctionId ? join(__dirname, 'door-bundle') : __dirname),
      ...(endpoints && { endpoints }),
    });
    extend?.(stack);
    synthesiseQuietly(app, isValidated);
    return readSynthesis(outdir, stack.stackName);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

interface RoleProperties {
  readonly AssumeRolePolicyDocument?: object;
  readonly Policies?: readonly { readonly PolicyDocument: { readonly Statement: readonly Statement[] } }[];
}

interface Statement {
  readonly Action: string | readonly string[];
}

interface ApiBody {
  readonly 'x-amazon-apigateway-gateway-responses': Readonly<Record<string, object>>;
}

interface AssetManifest {
  readonly files: Readonly<Record<string, { readonly source: { readonly path: string } }>>;
}

type Metadata = Readonly<Record<string, readonly { readonly type: string; readonly data: string }[]>>;

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly properties?: { readonly terminationProtection?: boolean } } | undefined>
  >;
}

interface Report {
  readonly pluginReports: readonly { readonly suppressedViolations?: readonly { readonly acknowledgedId: string }[] }[];
}
