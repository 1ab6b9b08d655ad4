// Pulumi's own Node host loads the program, as `pulumi preview` makes it do.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { lookups } from "../emulators/pulumi/lookups.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../local/program/program.ts";
import { type StubEngine, serveEngine } from "./support/program/pulumi-engine.ts";
import { compiledOnce } from "./support/runner/run-folder.ts";
import { longTest } from "./support/sizes.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const hostPath = createRequire(import.meta.url).resolve("@pulumi/pulumi/cmd/run");
const region = "eu-central-1";
/** How Pulumi marks a secret on its way (github.com/pulumi/pulumi, sdk/go/common/resource/sig: Key). */
const secretSignature = "4dabf18193072939515e22adb298388d";

let engine: StubEngine;

beforeEach(async () => {
  engine = await serveEngine((token, inputs) => {
    const lookUp = lookups[token];
    if (!lookUp) throw new Error(`${token} is not foreseen`);
    return lookUp(inputs, region);
  });
});

afterEach(() => engine.close());

test("Pulumi's host loads the program, and the engine is told of the same resources as the local stack", async () => {
  const config = await readStackConfig(localStackFile);
  const [preview, program] = await Promise.all([previewWith(config), evaluateProgram(config)]);

  expect({ ...preview, messages: engine.messages }).toEqual({ exitCode: 0, output: "", messages: [] });
  const custom = engine.registered.filter(({ type }) => /^(aws|cloudflare|pulumi:providers):/.test(type));
  expect(custom.map(({ type, name }) => `${type}::${name}`).sort()).toEqual(
    [...program.resources].map(({ type, name }) => `${type}::${name}`).sort(),
  );
  const underTheStack = engine.registered.filter(({ parent }) => parent === "pulumi:pulumi:Stack::archway-dev");
  expect(underTheStack.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["archway:index:Identity", "archway:index:TenantPlatform", "archway:index:Proxy"]),
  );
  expect(Object.keys(engine.exports ?? {}).sort()).toEqual(Object.keys(program.exports).sort());

  const google = "aws:cognito/identityProvider:IdentityProvider::identity-google";
  for (const { dependencies } of custom.filter(({ type }) => /userPoolClient/.test(type))) {
    expect(dependencies).toContain(google); // Cognito refuses a client that names a provider before it is there.
  }
  const details = custom.find(({ type, name }) => `${type}::${name}` === google)?.inputs.providerDetails;
  expect(details).toMatchObject({
    [secretSignature]: expect.any(String),
    value: { client_secret: expect.any(String) },
  });
});

test("a wrong configuration ends the preview before anything is registered, and every mistake is reported", async () => {
  const config = { "aws:region": region, "archway:domian": "dev.archway.example" };
  const preview = await previewWith(config);

  // The host's code for "people were told already"; the engine then says nothing more.
  expect(preview.exitCode).toBe(32);
  const [message = ""] = engine.messages;
  expect(message).toContain("archway:domain: is missing");
  expect(message).toContain("archway:domian: no such key");
  expect(message).not.toContain("    at ");
  expect(engine.registered.map(({ type }) => type)).toEqual(["pulumi:pulumi:Stack"]);
});

longTest("values that AWS would refuse for their size fail the preview, reported together", async () => {
  const aliases = Array.from({ length: 200 }, (_, place) => [`claude-of-the-stack-${place}`, "claude-opus-5-5"]);
  const more = { "archway:aliases": JSON.stringify(Object.fromEntries(aliases)) };
  const preview = await previewWith(await readStackConfig(localStackFile, more));

  expect(preview.exitCode).toBe(32);
  const [message = ""] = engine.messages;
  expect(message).toContain("function control: its environment has");
  expect(message).toContain("function proxy: its environment has");
  expect(message).not.toContain("    at ");
});

test("Pulumi's host on an older Node restarts on Node 24 before it registers anything", async () => {
  const preview = await previewWith(await readStackConfig(localStackFile), [olderNode]);

  expect({ ...preview, messages: engine.messages }).toEqual({ exitCode: 0, output: "", messages: [] });
  const stacks = engine.registered.filter(({ type }) => type === "pulumi:pulumi:Stack");
  expect(stacks).toHaveLength(1); // The engine refuses a second one: "Duplicate resource URN".
  expect(engine.exports).toBeDefined();
});

test("Pulumi's host on an older Node that cannot restart says which Node the program needs, and does not load it", async () => {
  const preview = await previewWith({}, [olderNode], { nodeargs: "" });

  expect(preview.exitCode).toBe(32);
  expect(engine.messages).toEqual([expect.stringContaining("Archway needs Node 24, and Pulumi runs it on 20.19.0")]);
  expect(engine.messages[0]).not.toContain("    at ");
});

/** Lets a process believe that it is Node 20, and none that it starts. */
const olderNode = `--import=data:text/javascript,${[
  "if (!process.env.BELIEVED_OLDER) {",
  "process.env.BELIEVED_OLDER = 1;",
  'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });',
  "}",
].join("")}`;

/** The command line and environment that the engine's Node plugin gives to the host (pulumi-language-nodejs, main.go). */
async function previewWith(
  config: Record<string, string>,
  nodeArgs: string[] = [],
  options: { nodeargs?: string } = {},
): Promise<{ exitCode: number; output: string }> {
  const project = parse(await readFile(`${root}/Pulumi.yaml`, "utf8"));
  const flags = {
    monitor: engine.address,
    engine: engine.address,
    project: project.name,
    stack: "dev",
    pwd: fileURLToPath(new URL(project.main, new URL("..", import.meta.url))),
    parallel: "16",
  };
  const { nodeargs }: { nodeargs: string } = { ...project.runtime.options, ...options };
  const args = [
    ...nodeArgs,
    ...nodeargs.split(" ").filter(Boolean),
    `--import=${new URL("../local/program/remember-esbuild.ts", import.meta.url)}`,
    // Pulumi notes the stack of each promise that it makes, which is most of its work; one line shows that there is one.
    "--stack-trace-limit=1",
    hostPath,
    ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]),
    "--dry-run",
    ".",
  ];
  const env = {
    PATH: process.env.PATH,
    ...compiledOnce,
    PULUMI_CONFIG: JSON.stringify(
      Object.fromEntries(Object.entries(config).map(([key, value]) => [key.replace(":", ":config:"), value])),
    ),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(["archway:originSecret"]),
    // The plugin's default is true: with it the host would load a compiler.
    ...(project.runtime.options.typescript !== false && { PULUMI_NODEJS_TYPESCRIPT: "true" }),
  };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: root, env }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? -1, output: stdout + stderr });
    });
  });
}
