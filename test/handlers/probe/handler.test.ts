import { expect, test } from "@jest/globals";
import { UpstreamFailure } from "../../../domain/upstream/upstream-failure.ts";
import { type ProbeDependencies, probeHandler } from "../../../handlers/probe/handler.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";

const problems: string[] = [];
const tools = [{ name: "feed", digest: "1" }];

function handler(changes: Partial<ProbeDependencies> = {}) {
  const deps = {
    servers: { get: async (_: string, id: string) => (id === "srv_1" ? aServer() : undefined) },
    secretOf: async () => "a-secret",
    upstream: () => ({ tools: async () => tools }),
    log: { info: () => {}, problem: (message: string) => void problems.push(message) },
    ...changes,
  };
  return probeHandler(deps as unknown as ProbeDependencies);
}

const candidate = {
  target_mode: "mcp_server",
  endpoint: "https://mcp.example.com/mcp",
  auth: { kind: "bearer" },
  secret: "sent",
};
const failing = (reason: ConstructorParameters<typeof UpstreamFailure>[0]) => ({
  upstream: () => ({
    tools: async () => {
      throw new UpstreamFailure(reason);
    },
  }),
});

test("a new integration is examined, and a registered integration is verified with its credential", async () => {
  expect(await handler()({ action: "examine", input: { tenant_id: "t1", candidate } })).toEqual({ result: { tools } });
  const verify = { action: "verify", input: { tenant_id: "t1", server_id: "srv_1" } };
  expect(await handler()(verify)).toEqual({ result: { outcome: { tools } } });
});

test("a refusal of the function probe names the field, a failed verification is a result, and an unknown integration is a refusal", async () => {
  const unreachable = handler(failing("unreachable") as never);
  const examined = await unreachable({ action: "examine", input: { tenant_id: "t1", candidate } });
  expect(examined).toMatchObject({ refusal: { code: "invalid_request", fields: [{ path: "endpoint" }] } });
  const verified = await unreachable({ action: "verify", input: { tenant_id: "t1", server_id: "srv_1" } });
  expect(verified).toMatchObject({ result: { outcome: { reason: "unreachable" } } });
  const unknown = await handler()({ action: "verify", input: { tenant_id: "t1", server_id: "srv_2" } });
  expect(unknown).toMatchObject({ refusal: { code: "not_found" } });
});

test("an input of another shape is refused by the function probe before any call", async () => {
  const asked = { action: "examine", input: { tenant_id: "t1", candidate: { target_mode: "other" } } };
  await expect(handler(failing("unreachable") as never)(asked)).rejects.toThrow();
});

test("a client's metadata document is read for whoever asks, and a document that cannot be read is a result", async () => {
  const reading = (read: ProbeDependencies["readClientDocument"]) =>
    handler({ readClientDocument: read })({
      action: "read_client_document",
      input: { address: "https://app.example/client.json" },
    });
  expect(await reading(async () => ({ text: "{}", freshSeconds: 60 }))).toEqual({
    result: { text: "{}", fresh_seconds: 60 },
  });
  expect(await reading(async () => ({ failure: "it is gone" }))).toEqual({ result: { failure: "it is gone" } });
});
