// The SDK as a function has it: in a bundle, in a worker, with nothing that says where Stripe is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { LocalFunction } from "../../lambda/local-function.ts";
import { apiHost } from "../../stripe/stripe.ts";
import { type HostServer, serveHosts } from "../support/host-server.ts";
import { type RunningStripe, startStripe } from "../support/local-stripe.ts";

const program = `
  import Stripe from "stripe";
  const stripe = new Stripe("sk_test_local", { telemetry: false });
  export const handler = async ({ name }) => (await stripe.customers.create({ name })).name;
`;

let local: RunningStripe;
let edge: HostServer;
let folder: string;
beforeAll(async () => {
  local = await startStripe();
  folder = mkdtempSync(join(tmpdir(), "archway-stripe-"));
  edge = await serveHosts({ [apiHost]: (request, response) => void local.stripe.handle(request, response) });
});
afterAll(async () => {
  await edge.close();
  await local.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a function's calls to api.stripe.com reach the local Stripe, with the function's name", async () => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: process.cwd() },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  const fn = new LocalFunction(
    {
      name: "billing",
      arn: "arn:aws:lambda:eu-central-1:000000000000:function:billing",
      archive: { "index.mjs": outputFiles[0]?.text ?? "" },
      environment: {},
      timeoutSeconds: 30,
      memoryMb: 256,
      logGroup: "billing-logs",
    },
    {
      clock: local.clock.shared,
      hosts: [apiHost],
      edgePort: () => edge.port,
      instanceEnvironment: () => ({}),
      bundleFolder: folder,
      log: () => {},
    },
  );
  try {
    expect(await fn.invoke({ name: "Acme" })).toBe("Acme");
  } finally {
    await fn.stop();
  }
  expect(local.calls.all()).toEqual([
    expect.objectContaining({ service: "stripe", operation: "customers.create", function: "billing", status: 200 }),
  ]);
});
