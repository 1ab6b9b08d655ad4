import { expect, test } from "@jest/globals";
import { changedRecord, unregistered } from "../../../domain/integrations/server-record.ts";
import type { Asked, AskedRegistration } from "../../../domain/integrations/server-request.ts";

const now = Date.parse("2026-11-28T00:00:00.000Z");
const later = now + 60_000;
const asked: AskedRegistration = {
  ...{ name: "pets", mode: "openapi", providerId: undefined },
  ...{ auth: { kind: "bearer" }, secret: "first", entries: undefined, rules: undefined },
  candidate: { target_mode: "openapi", spec: "{}" },
};
const examined = { tools: [{ name: "listPets", digest: "d1" }], document: "{}" };
const first = unregistered(asked, { tenant_id: "t1", server_id: "srv_1", created_by: "ann" }, now);
const made = changedRecord(first, { asked, examined, state: "creating", hosts: ["pets.example"] }, now);

const nothing: Asked = { ...asked, secret: undefined, candidate: undefined };
const change = (of: Partial<Asked>, found: object = {}) =>
  changedRecord(
    made,
    { asked: { ...nothing, ...of }, examined: { tools: [], ...found }, state: "updating", hosts: made.hosts },
    later,
  );

test("a registration has version 1, and so have its credential and its document", () => {
  expect(made).toEqual({
    ...{ server_id: "srv_1", tenant_id: "t1", name: "pets", target_mode: "openapi", auth: { kind: "bearer" } },
    ...{ state: "creating", hosts: ["pets.example"], known_tools: { listPets: "d1" } },
    ...{ secret_version: 1, secret_set_at: "2026-11-28T00:00:00.000Z", provider_versions: [1] },
    ...{ spec_version: 1, spec_versions: [1], version: 1 },
    ...{ created_at: "2026-11-28T00:00:00.000Z", created_by: "ann", updated_at: "2026-11-28T00:00:00.000Z" },
  });
});

test("a change without a credential and a document keeps the stored ones", () => {
  const { version, updated_at, ...rest } = change({});
  const { version: _, updated_at: __, ...before } = made;
  expect([version, updated_at, rest]).toEqual([2, "2026-11-28T00:01:00.000Z", { ...before, state: "updating" }]);
});

test("a new credential and document have the change's version, and the previous ones stay known until they are removed", () => {
  const candidate = { target_mode: "openapi", spec: "{}" } as const;
  const changed = change({ secret: "second", candidate }, { document: "{}", tools: [{ name: "adopt", digest: "d2" }] });
  expect(changed).toMatchObject({
    secret_version: 2,
    provider_versions: [1, 2],
    spec_version: 2,
    spec_versions: [1, 2],
  });
  expect([changed.secret_set_at, changed.known_tools]).toEqual(["2026-11-28T00:01:00.000Z", { adopt: "d2" }]);
});

test("an integration that no longer needs a credential has no version of a credential", () => {
  const candidate = { target_mode: "openapi" } as const;
  const changed = change({ auth: { kind: "none" }, candidate });
  expect([changed.secret_version, changed.secret_set_at, changed.provider_versions]).toEqual([
    undefined,
    undefined,
    [1],
  ]);
});

test("a failed verification of the previous credential is removed once the integration is examined again", () => {
  const verification = { verified: false, verified_at: "2026-11-28T00:00:00.000Z", reason: "credential_refused" };
  const refused = { ...made, verification } as typeof made;
  const again = (candidate: Asked["candidate"]) =>
    changedRecord(refused, { asked: { ...nothing, candidate }, examined, state: "updating", hosts: [] }, later)
      .verification;
  expect([again(undefined), again({ target_mode: "openapi" })]).toEqual([verification, undefined]);
});
