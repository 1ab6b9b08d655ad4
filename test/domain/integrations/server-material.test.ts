// A credential and a document are kept for the version of the record that they came with: a request that arrives late gives nothing to a later
// one, whose address may be another.
import { describe, expect, test } from "@jest/globals";
import { applyServer } from "../../../domain/integrations/server-material.ts";
import { serverSecretName } from "../../../domain/integrations/server-secret.ts";
import { aServer, mcpServerWorld } from "../../support/mcp/mcp-server-world.ts";
import { aRegisteredSpec } from "../../support/mcp/registered-spec.ts";

const key = { tenant_id: "t1", server_id: "srv_1" };
const secretAt = (world: ReturnType<typeof mcpServerWorld>, version: number) =>
  world.secrets.get(serverSecretName("dev", key, version));

function worldAt(version: number) {
  const record = { version, secret_version: version, spec_version: version, provider_versions: [1, version] };
  const world = mcpServerWorld(aServer({ ...record, endpoint: "https://evil.example/mcp" }));
  const tenants = { get: async () => ({ kms_cmk_arn: "arn:key" }) as never };
  return {
    world,
    apply: (material: Parameters<typeof applyServer>[2]) => applyServer({ ...world.deps, tenants }, key, material),
  };
}

test("an integration's credential is stored under the version of its request", async () => {
  const { world, apply } = worldAt(2);
  await apply({ version: 2, secret: "new", spec: aRegisteredSpec() });
  expect(secretAt(world, 2)).toBe('{"api_key":"new"}');
  expect(world.documents.get("2")).toEqual(aRegisteredSpec());
  expect(world.jobs).toEqual([{ kind: "server", ...key }]);
});

describe("that arrives after a later change", () => {
  test("a credential and document that arrive late do not change those of a later change", async () => {
    const { world, apply } = worldAt(3);
    await apply({ version: 3, secret: "developer's", spec: aRegisteredSpec("of 3") });
    await apply({ version: 2, secret: "owner's", spec: aRegisteredSpec("of 2") });
    expect(secretAt(world, 3)).toBe('{"api_key":"developer\'s"}');
    expect(world.documents.get("3")).toEqual(aRegisteredSpec("of 3"));
    expect([...world.secrets.values()].join()).not.toContain("owner's");
    expect(world.jobs).toHaveLength(2);
  });

  test("a credential that arrives late is not given to a version that waits for another one", async () => {
    const { world, apply } = worldAt(3);
    await apply({ version: 2, secret: "owner's" });
    expect(world.secrets.size).toBe(0);
  });
});
