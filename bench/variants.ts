// Everything that is compared: which processes each variant runs, and how it is asked for a message.
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Program as Declared, evaluateProgram, readStackConfig } from "../local/program/program.ts";
import type { Builds } from "./build.ts";
import { Program } from "./child-process.ts";
import { pacedBody, requestBody, streamedBody, volatileStamps, wholeBody } from "./message.ts";
import type { Expected, Target } from "./processes/load.ts";
import { createWorkspace, type Workspace } from "./workspace.ts";

export const variantNames = ["bare", "pass-through", "archway", "archway+store", "portkey", "local-stack"] as const;
export type VariantName = (typeof variantNames)[number];
export type Mode = "plain" | "stream" | "paced";

export type Variant = {
  name: VariantName | "before";
  /** Whose CPU time and memory count. */
  proxy: Program;
  /** What answers it beside the model host: its share is told apart. */
  store: Program | undefined;
  target: (mode: Mode) => Target;
};

export type Setting = {
  builds: Builds;
  modelHost: Program;
  declared: Declared;
  workspace: Workspace;
  usage: string;
  promptBytes: number;
};

const stackFile = fileURLToPath(new URL("../local/stack.yaml", import.meta.url));
const processFile = (name: string) => fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url));
const peerFile = "@portkey-ai/gateway/build/start-server.js";
const region = "eu-central-1";
const version = { "anthropic-version": "2023-06-01" };

/** Starts the model host, and evaluates the program whose bundle and environment are run: all variants share both. */
export async function prepare(builds: Builds, promptBytes: number): Promise<Setting> {
  const usage = builds.program("usage");
  const [declared, workspace, modelHost] = await Promise.all([
    readStackConfig(stackFile).then(evaluateProgram),
    createWorkspace(),
    Program.start("model-host", builds.program("model-host"), { preload: [usage] }),
  ]);
  return { builds, modelHost, declared, workspace, usage, promptBytes };
}

/** @throws Error if the benchmark's own packages, which are a peer and the load's client, are not installed. */
export function requirePackages(): void {
  try {
    import.meta.resolve(peerFile);
  } catch {
    throw new Error("The benchmark has packages of its own: npm ci --prefix bench");
  }
}

export function startVariant(name: VariantName, setting: Setting): Promise<Variant> {
  return starts[name](setting);
}

const starts: Record<VariantName, (setting: Setting) => Promise<Variant>> = {
  bare: async (setting) => {
    const { modelHost } = setting;
    return {
      name: "bare",
      proxy: modelHost,
      store: undefined,
      target: targets(setting, `${modelHost.url}/v1/messages`),
    };
  },

  "pass-through": async (setting) => {
    const env = { MODEL_HOST_URL: setting.modelHost.url };
    const proxy = await start(setting, "pass-through", env);
    return { name: "pass-through", proxy, store: undefined, target: targets(setting, `${proxy.url}/v1/messages`) };
  },

  archway: async (setting) => {
    const store = await start(setting, "store", { WORKSPACE: JSON.stringify(setting.workspace) });
    return archway("archway", setting, store, deployedBundle(setting));
  },

  "archway+store": async (setting) => {
    const store = await startEmbeddedStore(setting);
    return archway("archway+store", setting, store, deployedBundle(setting));
  },

  portkey: async (setting) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const file = fileURLToPath(import.meta.resolve(peerFile));
    const proxy = await Program.start("portkey", file, {
      args: ["--headless", `--port=${port}`],
      preload: [setting.usage],
      whenUp: () => answering(url),
    });
    const headers = { "x-portkey-provider": "anthropic", "x-portkey-custom-host": `${setting.modelHost.url}/v1` };
    return { name: "portkey", proxy, store: undefined, target: targets(setting, `${url}/v1/messages`, headers) };
  },

  "local-stack": startLocalStack,
};

/** The proxy's function in a process of its own, with everything of ours on. */
export async function archway(
  name: VariantName,
  setting: Setting,
  store: Program,
  bundle: string,
  preload: string[] = [],
): Promise<Variant> {
  const proxy = await Program.start(name, setting.builds.program("function-url"), {
    preload: [setting.usage, ...preload],
    env: functionEnvironment(setting, store.url, bundle),
  });
  const target = targets(setting, `${proxy.url}/vendor/v1/messages`, edgeHeaders(setting));
  return { name, proxy, store, target };
}

/** The bundle that the program uploads; gives its first file. */
export function deployedBundle({ builds, declared }: Setting): string {
  return builds.bundle("deployed", proxyFunction(declared).code);
}

/** The environment that the program sets, and what Lambda adds; the SDK's own variables lead to this benchmark's services. */
export function functionEnvironment(setting: Setting, storeUrl: string, bundle: string): Record<string, string> {
  return {
    ...proxyFunction(setting.declared).environment.variables,
    BUNDLE: bundle,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: "ASIABENCH",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_SESSION_TOKEN: "token",
    AWS_ENDPOINT_URL_DYNAMODB: storeUrl,
    AWS_ENDPOINT_URL_STS: setting.modelHost.url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: setting.modelHost.url,
  };
}

/** The headers that the distribution adds on AWS. */
export function edgeHeaders({ declared, workspace }: Setting): Record<string, string> {
  const distributions = declared.resources.ofType("aws:cloudfront/distribution:Distribution");
  // Only the proxy's distribution sends a secret to its origin; the console's and the gateways' do not.
  const [secret] = distributions.flatMap(({ inputs }) => inputs.origins[0].customHeaders ?? []);
  const domain = proxyFunction(declared).environment.variables.PROXY_DOMAIN;
  return {
    "x-viewer-host": `${workspace.slug}.${domain}`,
    [secret.name]: secret.value,
  };
}

function proxyFunction({ resources }: Declared) {
  const found = resources
    .ofType("aws:lambda/function:Function")
    .find(({ inputs }) => inputs.environment?.variables?.MODEL_HOST_ROLE_ARN);
  if (!found) throw new Error("The program declares no proxy function");
  return found.inputs as {
    /** The texts of the bundle's files. */
    code: Record<string, string>;
    environment: { variables: Record<string, string> };
  };
}

export function start(setting: Setting, name: string, env: Record<string, string>): Promise<Program> {
  return Program.start(name, setting.builds.program(name), { env, preload: [setting.usage] });
}

function startEmbeddedStore({ declared, workspace, usage }: Setting): Promise<Program> {
  const [table] = declared.resources.ofType("aws:dynamodb/table:Table");
  const { id: _id, arn: _arn, ...inputs } = table?.outputs ?? {};
  const env = { WORKSPACE: JSON.stringify(workspace), TABLE: JSON.stringify(inputs) };
  return Program.start("embedded-store", processFile("embedded-store"), { env, preload: [usage] });
}

/** Its own model host answers, so what it answers first is what it is expected to answer, but for the message's id. */
async function startLocalStack(setting: Setting): Promise<Variant> {
  const proxy = await Program.start("local-stack", processFile("local-stack"), {
    preload: [setting.usage],
    tidies: true,
  });
  const { apiKeys } = proxy.facts as { apiKeys: string[] };
  const url = `${proxy.url}/vendor/v1/messages`;
  const [first = ""] = apiKeys;
  const volatile = { pattern: "msg_bdrk_\\d+", as: "msg" };
  const expected = async (mode: Mode): Promise<Expected> => {
    const body = requestBody(mode !== "plain", setting.promptBytes);
    const response = await fetch(url, { method: "POST", headers: { ...version, "x-api-key": first }, body });
    const text = (await response.text()).replaceAll(new RegExp(volatile.pattern, "g"), volatile.as);
    const isWhole = mode === "plain" ? text.includes('"end_turn"') : text.includes("event: message_stop");
    if (!response.ok || !isWhole) throw new Error(`local-stack answered ${response.status} ${text}`);
    return { body: text, volatile };
  };
  const [plain, stream] = await Promise.all([expected("plain"), expected("stream")]);
  const target = (mode: Mode): Target => {
    if (mode === "paced") throw new Error("The local stack's answers carry no stamps");
    const body = requestBody(mode === "stream", setting.promptBytes);
    return { url, headers: version, apiKeys, body, expected: mode === "plain" ? plain : stream };
  };
  return { name: "local-stack", proxy, store: undefined, target };
}

const expectedBodies: Record<Mode, Expected> = {
  plain: { body: wholeBody },
  stream: { body: streamedBody },
  paced: { body: pacedBody, volatile: volatileStamps },
};

function targets({ promptBytes, workspace }: Setting, url: string, headers: Record<string, string> = {}) {
  return (mode: Mode): Target => ({
    url,
    headers: { ...version, ...headers },
    apiKeys: workspace.apiKeys,
    body: requestBody(mode !== "plain", promptBytes),
    expected: expectedBodies[mode],
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Polls, because a peer does not say that it is ready. */
async function answering(url: string): Promise<string> {
  for (;;) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return url;
    await sleep(20);
  }
}
