// The program's functions, each with its declared bundle and environment, and with credentials of its role for every instance.
import type { Call } from "../aws/calls.ts";
import type { Credentials } from "../aws/credentials.ts";
import type { Clock } from "../clock.ts";
import type { Logs } from "../cloudwatch-logs/logs.ts";
import type { DeclaredResource, Resources } from "../pulumi/resources.ts";
import { lambdaFunction } from "../pulumi/services/lambda.ts";
import type { Lineage } from "../sqs/message.ts";
import type { Archive } from "./archive.ts";
import type { FunctionHost } from "./instance.ts";
import { LocalFunction } from "./local-function.ts";

export type FunctionsOptions = {
  clock: Clock;
  region: string;
  credentials: Credentials;
  bundleFolder: string;
  logs: Logs;
  onFailure?: FunctionHost["onFailure"];
  /** Hosts beyond AWS's endpoint that functions may reach; the edge serves them. */
  hosts: string[];
  edgePort: () => number;
  awsUrl: () => string;
};

export class Functions {
  readonly all: readonly LocalFunction[];

  constructor(resources: Resources, options: FunctionsOptions) {
    const declared = resources.ofType(lambdaFunction.type);
    this.all = declared.map((one) => new LocalFunction(settingsOf(one), hostOf(one, options)));
  }

  /** @throws Error if the program declares no such function. */
  byArn(arn: string): LocalFunction {
    return this.#find("arn", arn);
  }

  /** @throws Error if the program declares no such function. */
  byName(name: string): LocalFunction {
    return this.#find("name", name);
  }

  /** The chain of invocations that led to the one that an instance works on. */
  lineageOf(instanceId: string): Lineage | undefined {
    return this.all.find((fn) => fn.has(instanceId))?.lineageOf(instanceId);
  }

  /** Tells of a call to AWS by an instance without an invocation. On AWS the instance would be frozen in the middle of the call. */
  noteCall(call: Readonly<Call>): void {
    const fn = this.all.find(({ settings }) => settings.name === call.function);
    // An address that a function signed is used by somebody else, later. Calls with an assumed role carry another session's name, so that
    // only calls with the instance's own keys are checked.
    if (
      call.isPresigned ||
      !fn ||
      call.sessionName === undefined ||
      !fn.has(call.sessionName) ||
      fn.isActive(call.sessionName)
    )
      return;
    console.error(`${call.function}: ${call.service} ${call.operation} outside of an invocation`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((fn) => fn.stop()));
  }

  #find(by: "arn" | "name", value: string): LocalFunction {
    const found = this.all.find(({ settings }) => settings[by] === value);
    if (!found) throw new Error(`The program declares no function ${value}.`);
    return found;
  }
}

function settingsOf({ name, inputs, outputs }: DeclaredResource) {
  const archive = (inputs.code ?? {}) as Archive;
  if (archive["index.mjs"] === undefined || inputs.handler !== "index.handler") {
    throw new Error(`Function "${name}": the local stack runs index.handler of the archive's index.mjs.`);
  }
  return {
    name: outputs.name as string,
    arn: outputs.arn as string,
    archive,
    environment: (inputs.environment?.variables ?? {}) as Record<string, string>,
    timeoutSeconds: inputs.timeout as number,
    memoryMb: inputs.memorySize as number,
    logGroup: inputs.loggingConfig?.logGroup as string,
  };
}

function hostOf(declared: DeclaredResource, options: FunctionsOptions) {
  const { clock, region, credentials, bundleFolder, logs, onFailure, hosts, edgePort, awsUrl } = options;
  return {
    clock: clock.shared,
    hosts,
    edgePort,
    bundleFolder,
    ...(onFailure && { onFailure }),
    log: (functionName: string, line: string) => logs.write(functionName, line),
    instanceEnvironment: (functionName: string, instance: string) => {
      const keys = credentials.issue({
        roleArn: declared.inputs.role,
        sessionName: instance,
        sessionTags: {},
        functionName,
      });
      return {
        AWS_REGION: region,
        AWS_DEFAULT_REGION: region,
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_SESSION_TOKEN: keys.sessionToken,
        AWS_ENDPOINT_URL: awsUrl(),
      };
    },
  };
}
