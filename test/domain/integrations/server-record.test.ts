import { expect, test } from "@jest/globals";
import type { Candidate } from "../../../domain/integrations/examination.ts";
import type { McpServerBody } from "../../../domain/integrations/server-body.ts";
import { changedRecord, settingNames, unregistered } from "../../../domain/integrations/server-record.ts";
import { requireProvider } from "../../../domain/marketplace/providers.ts";
import { aServer } from "../../support/mcp/mcp-server-world.ts";
import { aRegisteredSpec } from "../../support/mcp/registered-spec.ts";

const now = Date.parse("2026-11-28T00:00:00.000Z");
const later = now + 60_000;
const ids = { tenant_id: "t1", server_id: "srv_1", created_by: "ann" };
const auth = { kind: "bearer" } as const;
const body: McpServerBody = { name: "pets", target_mode: "openapi", spec: "{}", auth: { ...auth, secret: "first" } };
const candidate: Candidate = { target_mode: "openapi", spec: "{}", auth, secret: "first" };
const examined = { tools: [{ name: "listPets", digest: "d1" }], spec: aRegisteredSpec() };
const first = unregistered(body, ids, now);
const of = { candidate, entries: undefined, examined };
const made = changedRecord(first, { ...of, state: "creating", hosts: ["pets.example"] }, now);

const change = (candidate: Candidate | undefined, found: object = {}) =>
  changedRecord(
    made,
    { ...of, candidate, examined: { tools: [], ...found }, state: "updating", hosts: made.hosts },
    later,
  );

test("a registration has version 1, and so have its credential and its document", () => {
  expect(made).toEqual({
    ...{ server_id: "srv_1", tenant_id: "t1", name: "pets", target_mode: "openapi", auth: { kind: "bearer" } },
    ...{ state: "creating", hosts: ["pets.example"], known_tools: { listPets: "d1" } },
    ...{ secret_version: 1, secret_set_at: "2026-11-28T00:00:00.000Z", provider_versions: [1] },
    ...{ spec_version: 1, spec_versions: [1], version: 1, tools_found_at: "2026-11-28T00:00:00.000Z" },
    ...{ created_at: "2026-11-28T00:00:00.000Z", created_by: "ann", updated_at: "2026-11-28T00:00:00.000Z" },
  });
});

test("a change without a credential and a document keeps the stored ones", () => {
  const { version, updated_at, ...rest } = change(undefined);
  const { version: _, updated_at: __, ...before } = made;
  expect([version, updated_at, rest]).toEqual([2, "2026-11-28T00:01:00.000Z", { ...before, state: "updating" }]);
});

test("a new credential and document have the change's version, and the previous ones stay known until they are removed", () => {
  const another: Candidate = { target_mode: "openapi", spec: "{}", auth, secret: "second" };
  const changed = change(another, { spec: aRegisteredSpec(), tools: [{ name: "adopt", digest: "d2" }] });
  expect(changed).toMatchObject({
    secret_version: 2,
    provider_versions: [1, 2],
    spec_version: 2,
    spec_versions: [1, 2],
  });
  expect([changed.secret_set_at, changed.known_tools]).toEqual(["2026-11-28T00:01:00.000Z", { adopt: "d2" }]);
});

test("an integration that no longer needs a credential has no version of a credential", () => {
  const changed = change({ target_mode: "openapi", auth: { kind: "none" } });
  expect([changed.secret_version, changed.secret_set_at, changed.provider_versions]).toEqual([
    undefined,
    undefined,
    [1],
  ]);
});

test("a failed verification of the previous credential is removed once the integration is examined again", () => {
  const verification = { verified: false, verified_at: "2026-11-28T00:00:00.000Z", reason: "credential_refused" };
  const refused = { ...made, verification } as typeof made;
  const again = (candidate: Candidate | undefined) =>
    changedRecord(refused, { ...of, candidate, state: "updating", hosts: [] }, later).verification;
  expect([again(undefined), again({ target_mode: "openapi" })]).toEqual([verification, undefined]);
});

test("a provider of the marketplace gives a registration its name and its way of authentication", () => {
  const { kind, auth } = requireProvider("tavily");
  expect(unregistered({ provider_id: "tavily", secret: "s" }, ids, now)).toMatchObject({
    ...{ name: "tavily", provider_id: "tavily", target_mode: kind, auth },
  });
});

test("an integration's settings are the sent ones, or else the stored ones that the provider accepts", () => {
  const web = aServer({
    target_mode: "runtime",
    provider_id: "tavily",
    extra_env_names: ["BASE_URL", "DEFAULT_PARAMETERS"],
  });
  expect(settingNames(web, undefined)).toEqual(["DEFAULT_PARAMETERS"]);
  expect(settingNames(web, [])).toEqual([]);
  expect(settingNames(web, [{ name: "DEFAULT_PARAMETERS", value: "{}" }])).toEqual(["DEFAULT_PARAMETERS"]);
});

test("a change keeps the chosen operations and the address, unless its document brings others", () => {
  const chosen: Extract<Candidate, { target_mode: "openapi" }> = {
    target_mode: "openapi",
    spec: "{}",
    base_url: "https://pets.example",
    operations: { tags: ["a"] },
  };
  const own = changedRecord(first, { ...of, candidate: { ...chosen, auth }, state: "creating", hosts: [] }, now);
  expect(own).toMatchObject({ base_url: "https://pets.example", operations: { tags: ["a"] } });
  const after = (candidate: Candidate | undefined) =>
    changedRecord(own, { ...of, candidate, state: "updating", hosts: [] }, later);
  expect(after(undefined)).toMatchObject({ base_url: "https://pets.example", operations: { tags: ["a"] } });
  expect(after({ ...chosen, operations: {} })).not.toHaveProperty("operations");
});
