// The whole platform on one machine: everything that the program declares is served here. This file puts the parts together.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentCore } from "../emulators/agentcore/agentcore.ts";
import { isGatewayHost } from "../emulators/agentcore/gateway/gateway-host.ts";
import { runtimeCode } from "../emulators/agentcore/runtime/runtime-code.ts";
import { Calls } from "../emulators/aws/calls.ts";
import { Credentials } from "../emulators/aws/credentials.ts";
import { AwsEndpoint } from "../emulators/aws/endpoint.ts";
import { Faults } from "../emulators/aws/faults.ts";
import { Bedrock } from "../emulators/bedrock/bedrock.ts";
import { MessagesEndpoint } from "../emulators/bedrock/messages-endpoint.ts";
import { Clock } from "../emulators/clock.ts";
import { Alarms } from "../emulators/cloudwatch/alarms.ts";
import { Metrics } from "../emulators/cloudwatch/metrics.ts";
import { Insights } from "../emulators/cloudwatch-logs/insights.ts";
import { Logs } from "../emulators/cloudwatch-logs/logs.ts";
import { Cognito } from "../emulators/cognito/cognito.ts";
import { DynamoDb } from "../emulators/dynamodb/dynamodb.ts";
import { Schedules } from "../emulators/eventbridge/schedules.ts";
import { Hosts } from "../emulators/hosts.ts";
import { Iam } from "../emulators/iam/iam.ts";
import { Kms } from "../emulators/kms/kms.ts";
import { Functions } from "../emulators/lambda/functions.ts";
import { Lambda } from "../emulators/lambda/lambda.ts";
import { QueuePoller } from "../emulators/lambda/queue-poller.ts";
import { Mailbox } from "../emulators/mailbox.ts";
import { PriceList, priceListHost } from "../emulators/model-lists/price-list.ts";
import { declaredInterpreters } from "../emulators/pulumi/services/bedrock.ts";
import { declaredPool, verifiedIdentities } from "../emulators/pulumi/services/cognito.ts";
import { table, tableItem } from "../emulators/pulumi/services/dynamodb.ts";
import { checkWiring } from "../emulators/pulumi/wiring.ts";
import { ResourceGroupsTagging } from "../emulators/resource-groups-tagging/resource-groups-tagging.ts";
import { S3 } from "../emulators/s3/s3.ts";
import { sandboxHere } from "../emulators/sandbox/level.ts";
import { SecretsManager } from "../emulators/secrets-manager/secrets-manager.ts";
import { Ses } from "../emulators/ses/ses.ts";
import { Queues } from "../emulators/sqs/queues.ts";
import { Sqs } from "../emulators/sqs/sqs.ts";
import { Store } from "../emulators/store.ts";
import { apiHost, Stripe } from "../emulators/stripe/stripe.ts";
import { Sts } from "../emulators/sts/sts.ts";
import { defaultDataFolder, openDataFolder, temporaryPaths } from "./data-folder.ts";
import { setUpBilling } from "./demo/billing.ts";
import { seed } from "./demo/seed.ts";
import { defaultPort, describe } from "./describe.ts";
import { keySetHost } from "./edge/cognito-host.ts";
import { ConnectorPort } from "./edge/connector-port.ts";
import { Edge } from "./edge/edge.ts";
import { LocalInterface } from "./edge/local-interface.ts";
import { reachable } from "./edge/reachable.ts";
import { platformDomain, stripePages, virtualHosts } from "./edge/virtual-hosts.ts";
import { saveUses } from "./permission-report.ts";
import { declaredInvocationGroup } from "./program/invocation-log.ts";
import { localConsole, withLocalConsole } from "./program/local-console.ts";
import { evaluateProgram, localStackFile, type Program, readStackConfig } from "./program/program.ts";
import type { LocalOptions, Stack } from "./running-stack.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Bundles lie here by their hash, shared by all stacks of the checkout. */
const bundleFolder = join(root, "node_modules", ".cache", "archway", "bundles");
const sweepMs = 60_000;
/** The name under which lines of the model host's log are kept. */
const invocationLines = "model-invocations";

export type { LocalOptions, Stack };

/** A part that has to be closed again. */
type Part = { close(): unknown };

/**
 * Evaluates the program and serves it.
 * @throws Error for people: everything that is wrong with the configuration, the program, the data or the port.
 */
export async function startLocal(options: LocalOptions): Promise<Stack> {
  const opened: Part[] = [];
  try {
    const edge = keep(opened, new Edge());
    const port = await listen(edge, options.port);
    options.onStep?.("Evaluating the program");
    const config = await readStackConfig(options.stackFile ?? join(root, localStackFile), options.config);
    const program = withLocalConsole(await evaluateProgram(config), port);
    options.change?.(program);
    return await serve(program, { options, opened, edge });
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Start = { options: LocalOptions; opened: Part[]; edge: Edge };

async function serve(program: Program, { options, opened, edge }: Start): Promise<Stack> {
  const { resources, region } = program;
  const sandbox = sandboxHere(options.sandbox);
  options.onStep?.("Checking its wiring and opening the data");
  const data = options.ephemeral
    ? keep(opened, temporaryPaths())
    : openDataFolder(options.dataFolder ?? defaultDataFolder, {
        port: options.port === defaultPort || options.port === 0 ? undefined : options.port,
      });
  const store = keep(opened, new Store(data.services));
  const clock = new Clock(store.collection("clock"));
  const kms = new Kms({ store, clock });
  const iam = new Iam(resources, (arn) => kms.policyOf(arn));
  await checkWiring(resources, iam);
  const [calls, faults, credentials, priceList] = [new Calls(), new Faults(), new Credentials(), new PriceList(clock)];
  const logs = new Logs(data.logs, clock);
  const metrics = new Metrics(resources, clock);
  logs.onLine((line) => metrics.noteLine(line));
  const dynamodb = keep(opened, await DynamoDb.open({ clock, path: data.dynamodb }));
  for (const { inputs, outputs } of resources.ofType(table.type)) {
    await dynamodb.createTable({ ...inputs, name: outputs.name });
  }
  for (const { inputs } of resources.ofType(tableItem.type)) await dynamodb.putItem(inputs.tableName, inputs.item);
  // The vendor's SDK is loaded for those alone who name an upstream.
  const upstream =
    options.upstream && new (await import("../emulators/bedrock/upstream.ts")).Upstream(options.upstream);
  const invocationGroup = declaredInvocationGroup(resources);
  const logInvocation = invocationGroup ? (line: string) => logs.write(invocationLines, line) : undefined;
  const bedrock = keep(opened, new Bedrock({ clock, upstream, logInvocation }));
  // Functions start when the addresses are known, but the servers that know them need the functions.
  const addresses = { edge: `http://127.0.0.1:${edge.port}`, aws: "" };
  const mailbox = new Mailbox((text) => reachable(text, platformDomain(program), addresses.edge));
  const functions = new Functions(resources, {
    clock,
    region,
    credentials,
    bundleFolder,
    logs,
    onFailure: (name, error) => metrics.noteFailure(name, error),
    hosts: [keySetHost(region), apiHost, priceListHost, ...declaredPool(resources).domains.map(({ host }) => host)],
    edgePort: () => edge.port,
    awsUrl: () => addresses.aws,
  });
  opened.push({ close: () => functions.stop() });
  const cognito = new Cognito({
    ...declaredPool(resources),
    store,
    clock,
    region,
    invokeTrigger: (arn, event, onStart) => functions.byArn(arn).invoke(event, {}, onStart),
    sendMail: (mail) => mailbox.deliver(mail, clock.now()),
  });
  const stripe = keep(
    opened,
    new Stripe({
      store,
      clock,
      calls,
      faults,
      pagesUrl: () => `${addresses.edge}/@${stripePages}`,
      // The platform's own hosts are at the edge; every other host is left as it is.
      reach: ({ hostname, port }) =>
        hostname.endsWith(`.${platformDomain(program)}`)
          ? { hostname: "127.0.0.1", port: String(edge.port) }
          : { hostname, port },
    }),
  );
  const queues = keep(opened, new Queues({ resources, store, clock }));
  const alarms = new Alarms({ resources, queues, metrics, clock });
  const sts = new Sts({ iam, credentials, clock });
  const ses = new Ses({ identities: verifiedIdentities(resources), mailbox, clock });
  const secretsManager = new SecretsManager({ store, clock, kms });
  const functionOf = (group: string) =>
    group === invocationGroup
      ? invocationLines
      : functions.all.find(({ settings }) => settings.logGroup === group)?.settings.name;
  const insights = new Insights({ logs, clock, functionOf });
  const buckets = resources.ofType("aws:s3/bucket:Bucket").map(({ outputs }): string => outputs.bucket);
  const s3 = new S3({ store, clock, iam, buckets });
  const hosts = new Hosts({
    edgePort: () => edge.port,
    awsUrl: () => addresses.aws,
    isOnEdge: (name) => name === keySetHost(region) || isGatewayHost(name),
  });
  const agentcore = new AgentCore({
    credentials,
    codeAt: (bucket, key) => runtimeCode(resources, s3, bucket, key),
    interpreters: declaredInterpreters(resources, region),
    sandbox,
    awsUrl: () => addresses.aws,
    edgePort: () => edge.port,
    log: (name, line) => logs.write(`runtime-${name}`, line),
    store,
    clock,
    iam,
    calls,
    secrets: secretsManager.secrets,
    fetch: hosts.fetch,
    invoke: (arn, event) => functions.byArn(arn).invoke(event),
    readObject: (uri) => s3.reading(uri),
  });
  opened.push(agentcore);
  const services = [
    dynamodb,
    sts,
    kms,
    secretsManager,
    new ResourceGroupsTagging(() => kms.keys()),
    bedrock,
    new MessagesEndpoint(bedrock),
    cognito,
    ses,
    agentcore,
    s3,
    insights,
    new Sqs(queues, (instance) => functions.lineageOf(instance)),
    new Lambda(functions),
  ];
  const endpoint = keep(
    opened,
    new AwsEndpoint({ services, iam, credentials, clock, calls, faults, onCall: (call) => functions.noteCall(call) }),
  );
  addresses.aws = await endpoint.listen();
  const connector = keep(opened, new ConnectorPort(platformDomain(program), () => edge.port));
  await connector.listen(options.port);
  const localInterface = new LocalInterface();
  const served = virtualHosts(program, {
    functions,
    cognito,
    stripe,
    agentcore,
    hosts,
    clock,
    faults,
    priceList,
    addresses,
    connector: () => connector.url,
  });
  edge.open(platformDomain(program), [localInterface, ...served], () => clock.now());
  const schedules = keep(opened, new Schedules(resources, functions));
  schedules.start();
  const queuePoller = keep(opened, new QueuePoller({ resources, queues, functions, clock, region }));
  queuePoller.start();
  const sweep = setInterval(() => void dynamodb.sweep().catch(console.error), sweepMs).unref();
  opened.push({ close: () => clearInterval(sweep) });

  const stack: Stack = {
    edge: addresses.edge,
    console: localConsole(edge.port),
    mcp: connector.url,
    aws: addresses.aws,
    sandbox,
    program,
    clock,
    calls,
    faults,
    bedrock,
    priceList,
    functions,
    schedules,
    queues,
    queuePoller,
    dynamodb,
    kms,
    secretsManager,
    agentcore,
    hosts,
    s3,
    cognito,
    mailbox,
    stripe,
    logs,
    alarms,
    iam,
    credentials,
    demo: undefined,
    at: (name) => `${addresses.edge}/@${name}`,
    stop: async () => {
      faults.clear();
      await saveUses(iam, calls);
      await closeAll(opened);
    },
  };
  localInterface.open(stack);
  options.onStep?.("Starting its functions and opening the demo workspace; the first start builds them");
  await setUpBilling(stack);
  stack.demo = await seed(stack, store);
  if (data.stackFile) writeFileSync(data.stackFile, `${JSON.stringify(describe(stack), null, 2)}\n`);
  return stack;
}

function keep<T extends Part>(opened: Part[], part: T): T {
  opened.push(part);
  return part;
}

/** Closes the part that was opened last first. */
async function closeAll(opened: Part[]): Promise<void> {
  for (const part of opened.toReversed()) await part.close();
}

function listen(edge: Edge, port: number): Promise<number> {
  return edge.listen(port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new Error(`Port ${port} is in use. Choose another one: npm start -- --port ${port + 1}`);
  });
}
