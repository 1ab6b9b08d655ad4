// Plays Pulumi's engine for one preview: serves the gRPC services that a language host calls, and keeps what it registers.
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import monitor from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

type Values = Record<string, unknown>;

export type Registered = {
  type: string;
  name: string;
  /** `<type>::<name>` of the parent; none for the stack itself. */
  parent: string | undefined;
  inputs: Values;
  /** `<type>::<name>` of each resource that has to be there before. */
  dependencies: string[];
};

export type StubEngine = {
  address: string;
  registered: Registered[];
  /** The stack's exports, once the program is through. */
  readonly exports: Values | undefined;
  /** Warnings and errors that the host has for people. */
  messages: string[];
  close(): void;
};

/** Serves on a free port. `lookUp` answers the program's invokes; what it throws reaches the program. */
export async function serveEngine(lookUp: (token: string, inputs: Values) => Values): Promise<StubEngine> {
  const registered: Registered[] = [];
  const outputs = new Map<string, Values>();
  const messages: string[] = [];

  const getDeploymentInfo: handleUnaryCall<unknown, monitor.DeploymentInfo> = (_call, reply) =>
    reply(null, new monitor.DeploymentInfo().setSupportedfeaturesList(everyFeature));

  const registerResource: handleUnaryCall<monitor.RegisterResourceRequest, monitor.RegisterResourceResponse> = (
    { request },
    reply,
  ) => {
    const id = `${request.getType()}::${request.getName()}`;
    registered.push({
      type: request.getType(),
      name: request.getName(),
      parent: request.getParent().replace(urnPrefix, "") || undefined,
      inputs: values(request.getObject()),
      dependencies: request.getDependenciesList().map((urn) => urn.replace(urnPrefix, "")),
    });
    // A preview knows of a new resource what the program said, and nothing that its provider would compute.
    reply(null, new monitor.RegisterResourceResponse().setUrn(urnPrefix + id).setObject(request.getObject()));
  };

  const registerResourceOutputs: handleUnaryCall<monitor.RegisterResourceOutputsRequest, object> = (
    { request },
    reply,
  ) => {
    outputs.set(request.getUrn(), values(request.getOutputs()));
    reply(null, new empty.Empty());
  };

  const invoke: handleUnaryCall<monitor.ResourceInvokeRequest, monitor.ResourceInvokeResponse> = (
    { request },
    reply,
  ) => {
    const found = struct.Struct.fromJavaScript(lookUp(request.getTok(), values(request.getArgs())) as never);
    reply(null, new monitor.ResourceInvokeResponse().setReturn(found));
  };

  const log: handleUnaryCall<engine.LogRequest, object> = ({ request }, reply) => {
    if (request.getSeverity() >= engine.LogSeverity.WARNING) messages.push(request.getMessage());
    reply(null, new empty.Empty());
  };

  const server = new Server();
  const monitorMethods = { getDeploymentInfo, registerResource, registerResourceOutputs, invoke };
  server.addService(ResourceMonitorService, implementation(ResourceMonitorService, monitorMethods));
  server.addService(EngineService, implementation(EngineService, { log }));
  const port = await listen(server);

  return {
    address: `127.0.0.1:${port}`,
    registered,
    get exports() {
      const stack = registered.find(({ parent }) => parent === undefined);
      return stack && outputs.get(`${urnPrefix}${stack.type}::${stack.name}`);
    },
    messages,
    close: () => server.forceShutdown(),
  };
}

const urnPrefix = "urn:pulumi:dev::archway::";

const everyFeature = Object.values(monitor.ResourceMonitorFeature).filter((feature) => typeof feature === "number");

function values(message: struct.Struct | undefined): Values {
  return (message?.toJavaScript() ?? {}) as Values;
}

/** A method that is not given answers with an empty message of its type. */
function implementation(service: ServiceDefinition, methods: Record<string, unknown>): UntypedServiceImplementation {
  const empties = Object.entries(service).map(([name, { responseDeserialize }]) => {
    const answer: handleUnaryCall<unknown, unknown> = (_call, reply) =>
      reply(null, responseDeserialize(Buffer.alloc(0)));
    return [name, answer] as const;
  });
  return { ...Object.fromEntries(empties), ...methods } as UntypedServiceImplementation;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}
