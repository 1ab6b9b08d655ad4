// Plays Pulumi's engine for one preview: the gRPC services that a language host talks to, and what it registered there.
import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from "@grpc/grpc-js";
import engineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";
import monitorService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import monitor from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import struct from "google-protobuf/google/protobuf/struct_pb.js";

export type Registered = {
  urn: string;
  type: string;
  name: string;
  /** The parent's URN; none for the stack itself. */
  parent: string;
  custom: boolean;
  inputs: Record<string, unknown>;
};

export type StubEngine = {
  address: string;
  registered: Registered[];
  /** The stack's own outputs, once the program is through. */
  stackOutputs(): Record<string, unknown> | undefined;
  /** What the host told people: warnings and errors. */
  messages: string[];
  close(): void;
};

type Lookups = Record<string, (inputs: Record<string, unknown>) => Record<string, unknown>>;

const stackType = "pulumi:pulumi:Stack";

/** Serves both services on a free port. `lookups` answers the program's invokes; one that is not in it is an error. */
export async function serveEngine(lookups: Lookups): Promise<StubEngine> {
  const registered: Registered[] = [];
  const messages: string[] = [];
  const outputsByUrn = new Map<string, Record<string, unknown>>();

  const registerResource: handleUnaryCall<monitor.RegisterResourceRequest, monitor.RegisterResourceResponse> = (
    { request },
    reply,
  ) => {
    const resource = {
      urn: `urn:pulumi:dev::archway::${request.getType()}::${request.getName()}`,
      type: request.getType(),
      name: request.getName(),
      parent: request.getParent(),
      custom: request.getCustom(),
      inputs: (request.getObject()?.toJavaScript() ?? {}) as Record<string, unknown>,
    };
    registered.push(resource);
    // A preview knows of a new resource what the program said of it, and nothing that its provider would compute.
    const response = new monitor.RegisterResourceResponse().setUrn(resource.urn).setObject(request.getObject());
    reply(null, response);
  };
  const registerResourceOutputs: handleUnaryCall<monitor.RegisterResourceOutputsRequest, object> = (
    { request },
    reply,
  ) => {
    outputsByUrn.set(request.getUrn(), (request.getOutputs()?.toJavaScript() ?? {}) as Record<string, unknown>);
    reply(null, new empty.Empty());
  };
  const invoke: handleUnaryCall<monitor.ResourceInvokeRequest, monitor.InvokeResponse> = ({ request }, reply) => {
    const lookup = lookups[request.getTok()];
    if (!lookup) return reply(new Error(`${request.getTok()} is not foreseen`));
    const result = lookup((request.getArgs()?.toJavaScript() ?? {}) as Record<string, unknown>);
    reply(null, new monitor.InvokeResponse().setReturn(struct.Struct.fromJavaScript(result as never)));
  };
  const log: handleUnaryCall<engine.LogRequest, object> = ({ request }, reply) => {
    if (request.getSeverity() >= engine.LogSeverity.WARNING) messages.push(request.getMessage());
    reply(null, new empty.Empty());
  };
  const getDeploymentInfo: handleUnaryCall<unknown, monitor.DeploymentInfo> = (_call, reply) =>
    reply(null, new monitor.DeploymentInfo().setSupportedfeaturesList(Object.values(monitor.ResourceMonitorFeature)));

  const server = new Server();
  server.addService(
    monitorService.ResourceMonitorService,
    implementation(monitorService.ResourceMonitorService, { getDeploymentInfo, registerResource, registerResourceOutputs, invoke }),
  );
  server.addService(engineService.EngineService, implementation(engineService.EngineService, { log }));
  const port = await listen(server);

  return {
    address: `127.0.0.1:${port}`,
    registered,
    messages,
    stackOutputs: () => outputsByUrn.get(registered.find(({ type }) => type === stackType)?.urn ?? ""),
    close: () => server.forceShutdown(),
  };
}

/** What is not said here is answered with an empty message of the right type. */
function implementation(
  service: ServiceDefinition,
  methods: UntypedServiceImplementation,
): UntypedServiceImplementation {
  const empties = Object.entries(service).map(([name, { responseDeserialize }]) => {
    const answer: handleUnaryCall<unknown, unknown> = (_call, reply) => reply(null, responseDeserialize(Buffer.alloc(0)));
    return [name, answer] as const;
  });
  return { ...Object.fromEntries(empties), ...methods };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}
