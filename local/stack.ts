// The whole platform on one machine: what the program declares, served. This file is its table of contents.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Calls } from "./aws/calls.ts";
import { Credentials } from "./aws/credentials.ts";
import { AwsEndpoint } from "./aws/endpoint.ts";
import { Faults } from "./aws/faults.ts";
import { report, saveReport } from "./aws/permission-report.ts";
import { Bedrock } from "./bedrock/bedrock.ts";
import type { UpstreamOptions } from "./bedrock/upstream.ts";
import { Clock } from "./clock.ts";
import { CloudWatchLogs } from "./cloudwatch-logs/cloudwatch-logs.ts";
import { Logs } from "./cloudwatch-logs/logs.ts";
import { Cognito } from "./cognito/cognito.ts";
import { Mailbox } from "./cognito/mailbox.ts";
import { seed } from "./demo/seed.ts";
import { describe } from "./describe.ts";
import { DynamoDb } from "./dynamodb/dynamodb.ts";
import { cognitoHost } from "./edge/cognito-host.ts";
import { Distribution } from "./edge/distribution.ts";
import { Edge } from "./edge/edge.ts";
import { HttpApi } from "./edge/http-api.ts";
import { LocalInterface } from "./edge/local-interface.ts";
import { Schedules } from "./eventbridge/schedules.ts";
import { Iam } from "./iam/iam.ts";
import { Kms } from "./kms/kms.ts";
import { FunctionUrl } from "./lambda/function-url.ts";
import { Functions } from "./lambda/functions.ts";
import { evaluateProgram, type Program, readStackConfig } from "./program/program.ts";
import { checkWiring } from "./program/wiring.ts";
import type { Stack } from "./running-stack.ts";
import { Store } from "./store.ts";
import { Sts } from "./sts/sts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Bundles lie here by their hash, shared by all stacks of the checkout. */
const bundleFolder = join(root, "node_modules", ".cache", "archway", "bundles");
const sweepMilliseconds = 60_000;

export type { Stack };

export type LocalOptions = {
  /** 0 takes any free port. */
  port: number;
  /** Keeps nothing: everything lives in memory. */
  ephemeral?: boolean;
  /** Where data is kept; `.local` in the checkout unless said otherwise. */
  dataFolder?: string;
  /** The stack's file; `Pulumi.dev.yaml` unless said otherwise. */
  stackFile?: string;
  /** Values of the stack's configuration that differ, e.g. `archway:approval`. */
  config?: Record<string, string>;
  /** Changes what the program declares before it is served: a test takes a right away. */
  change?: (program: Program) => void;
  /** A real Messages API behind the model host. */
  upstream?: UpstreamOptions;
  /** Leaves the demo workspace out. */
  empty?: boolean;
};

/**
 * Evaluates the program and serves it.
 * @throws Error for people: everything that is wrong with the configuration, the program, the data or the port.
 */
export async function startLocal(options: LocalOptions): Promise<Stack> {
  const program = await evaluateProgram(
    await readStackConfig(options.stackFile ?? join(root, "Pulumi.dev.yaml"), options.config),
  );
  options.change?.(program);
  const opened: { close(): unknown }[] = [];
  try {
    return await serve(program, options, opened);
  } catch (error) {
    for (const part of opened.reverse()) await part.close();
    throw error;
  }
}

async function serve(program: Program, options: LocalOptions, opened: { close(): unknown }[]): Promise<Stack> {
  const { resources, region } = program;
  const data = dataPaths(options);
  const store = keep(opened, openStore(data.services));
  const clock = new Clock(store.collection("clock"));
  const kms = new Kms({ store, clock });
  const iam = new Iam(resources, (arn) => kms.policyOf(arn));
  await checkWiring(resources, iam);

  const [calls, faults, credentials] = [new Calls(), new Faults(), new Credentials()];
  const [mailbox, logs] = [new Mailbox(), new Logs(data.logs, clock)];
  const dynamodb = keep(opened, await DynamoDb.open({ clock, path: data.dynamodb }));
  for (const { outputs } of resources.ofType("aws:dynamodb/table:Table")) await dynamodb.createTable(tableOf(outputs));
  const bedrock = keep(opened, new Bedrock({ clock, ...(options.upstream && { upstream: options.upstream }) }));

  // Functions start after the addresses are known, and must be there before them.
  const addresses = { edgePort: 0, aws: "" };
  const functions = new Functions(resources, {
    clock,
    region,
    credentials,
    bundleFolder,
    logs,
    hosts: [`cognito-idp.${region}.amazonaws.com`],
    edgePort: () => addresses.edgePort,
    awsUrl: () => addresses.aws,
  });
  opened.push({ close: () => functions.stop() });
  const identity = openCognito(program, { store, clock, functions, mailbox });
  const sts = new Sts({ iam, credentials, clock });
  const cloudWatchLogs = new CloudWatchLogs({ logs, resources });
  const services = [dynamodb, sts, kms, bedrock, identity, cloudWatchLogs];
  const endpoint = keep(
    opened,
    new AwsEndpoint({ services, iam, credentials, clock, calls, faults, onCall: (call) => functions.noteCall(call) }),
  );
  addresses.aws = await endpoint.listen();

  const localInterface = new LocalInterface();
  const edge = keep(
    opened,
    new Edge(domainOf(program), [localInterface, ...virtualHosts(program, { functions, identity, clock, faults })]),
  );
  addresses.edgePort = await listen(edge, options.port);
  const schedules = keep(opened, new Schedules(resources, functions));
  schedules.start();
  const sweep = setInterval(() => void dynamodb.sweep(), sweepMilliseconds).unref();

  const address = `http://127.0.0.1:${edge.port}`;
  const stack: Stack = {
    edge: address,
    aws: addresses.aws,
    program,
    clock,
    calls,
    faults,
    bedrock,
    functions,
    schedules,
    dynamodb,
    mailbox,
    logs,
    iam,
    credentials,
    demo: undefined,
    at: (name) => `${address}/@${name}`,
    stop: async () => {
      clearInterval(sweep);
      faults.clear();
      await savePermissions(iam, calls);
      for (const part of opened.toReversed()) await part.close();
      if (options.ephemeral) rmSync(data.logs, { recursive: true, force: true });
    },
  };
  localInterface.open(stack);
  if (!options.empty) stack.demo = await seed(stack, store);
  if (!options.ephemeral)
    writeFileSync(join(data.folder, "stack.json"), `${JSON.stringify(describe(stack), null, 2)}\n`);
  return stack;
}

function keep<T extends { close(): unknown }>(opened: { close(): unknown }[], part: T): T {
  opened.push(part);
  return part;
}

type DataPaths = { folder: string; services: string; dynamodb: string | undefined; logs: string };

function dataPaths({ ephemeral, dataFolder = join(root, ".local") }: LocalOptions): DataPaths {
  const folder = ephemeral
    ? join(tmpdir(), `archway-${process.pid}-${Math.random().toString(36).slice(2)}`)
    : dataFolder;
  const logs = join(folder, "logs");
  mkdirSync(logs, { recursive: true });
  if (ephemeral) return { folder, services: ":memory:", dynamodb: undefined, logs: folder };
  return { folder, services: join(folder, "services.sqlite"), dynamodb: join(folder, "dynamodb"), logs };
}

function openStore(path: string): Store {
  try {
    return new Store(path);
  } catch (error) {
    throw new Error(`The data in ${path} cannot be read: ${(error as Error).message}. Start with --reset to empty it.`);
  }
}

/** What the provider adds to a table's inputs that the embedded store has to know. */
function tableOf({ id: _id, arn: _arn, ...inputs }: Record<string, unknown>): Record<string, unknown> {
  return inputs;
}

type CognitoParts = { store: Store; clock: Clock; functions: Functions; mailbox: Mailbox };

function openCognito({ resources, region }: Program, parts: CognitoParts): Cognito {
  const [pool, ...more] = resources.ofType("aws:cognito/userPool:UserPool");
  const [domain] = resources.ofType("aws:cognito/userPoolDomain:UserPoolDomain");
  if (!pool || more.length > 0 || !domain) throw new Error("The local stack knows one user pool with one domain.");
  const { store, clock, functions, mailbox } = parts;
  return new Cognito({
    store,
    clock,
    region,
    pool: pool.outputs,
    clients: resources.ofType("aws:cognito/userPoolClient:UserPoolClient").map(({ outputs }) => outputs),
    resourceServers: resources.ofType("aws:cognito/resourceServer:ResourceServer").map(({ outputs }) => outputs),
    domain: domain.inputs.domain,
    invokeTrigger: (arn, event) => functions.byArn(arn).invoke(event),
    sendMail: (mail) => mailbox.deliver(mail, clock.now()),
  });
}

type VirtualHostParts = { functions: Functions; identity: Cognito; clock: Clock; faults: Faults };

function virtualHosts({ resources, region }: Program, { functions, identity, clock, faults }: VirtualHostParts) {
  const now = () => clock.now();
  const urls = resources
    .ofType("aws:lambda/functionUrl:FunctionUrl")
    .map((declared) => new FunctionUrl(declared, (name) => functions.byName(name), now));
  const urlByHost = (host: string) => {
    const url = urls.find((candidate) => candidate.host === host);
    if (!url) throw new Error(`A distribution's origin ${host} is no function URL of the program.`);
    return url;
  };
  const [userPoolDomain] = resources.ofType("aws:cognito/userPoolDomain:UserPoolDomain");
  const identityHosts = [userPoolDomain?.inputs.domain, `cognito-idp.${region}.amazonaws.com`];
  return [
    ...resources
      .ofType("aws:apigatewayv2/apiMapping:ApiMapping")
      .map((mapping) => new HttpApi(mapping, resources, (arn) => functions.byArn(arn), now)),
    ...resources
      .ofType("aws:cloudfront/distribution:Distribution")
      .map((declared) => new Distribution(declared, resources, urlByHost)),
    cognitoHost(identity, identityHosts, faults),
  ];
}

/** The platform's domain, as the sign-in host has it. */
function domainOf({ resources }: Program): string {
  const [userPoolDomain] = resources.ofType("aws:cognito/userPoolDomain:UserPoolDomain");
  return String(userPoolDomain?.inputs.domain).replace(/^auth\./, "");
}

async function listen(edge: Edge, port: number): Promise<number> {
  try {
    return await edge.listen(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use. Choose another one: npm start -- --port ${port + 1}`);
  }
}

async function savePermissions(iam: Iam, calls: Calls): Promise<void> {
  const folder = process.env.ARCHWAY_PERMISSIONS_DIR;
  if (folder) await saveReport(folder, report(iam, calls.uses()));
}
