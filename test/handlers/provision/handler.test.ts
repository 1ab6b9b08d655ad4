import { expect, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import type { ProvisionDependencies } from "../../../handlers/provision/dependencies.ts";
import { provisionHandler } from "../../../handlers/provision/handler.ts";

/** The handler over accounts that behave so, and what it logged. */
function provision(accounts: Partial<ProvisionDependencies["accounts"]>) {
  const lines: unknown[] = [];
  const deps = {
    accounts,
    log: { info: () => {}, problem: (...line: unknown[]) => void lines.push(line) },
  } as unknown as ProvisionDependencies;
  const handler = provisionHandler(deps);
  return { lines, ask: (event: unknown) => handler(event as never, {} as Context) as Promise<unknown> };
}

test("an action's answer is its result", async () => {
  const { ask } = provision({
    invite: async (email) => ({ sub: `sub of ${email}`, state: "created" }),
    resend: async () => true,
  });
  const input = { email: "ann@example.com" };
  expect(await ask({ action: "invite_account", input })).toEqual({
    result: { sub: "sub of ann@example.com", state: "created" },
  });
  expect(await ask({ action: "resend_invitation", input })).toEqual({ result: { sent: true } });
});

test("a refusal is an answer too, as data", async () => {
  const refusal = new Refusal("invalid_request", "email: no", { fields: ["email"] });
  const { ask, lines } = provision({ invite: () => Promise.reject(refusal) });
  expect(await ask({ action: "invite_account", input: { email: "x" } })).toEqual({
    refusal: { code: "invalid_request", message: "email: no", fields: ["email"] },
  });
  expect(lines).toEqual([]);
});

test("a failure is logged and thrown", async () => {
  const failure = new Error("access denied");
  const { ask, lines } = provision({ invite: () => Promise.reject(failure) });
  await expect(ask({ action: "invite_account", input: { email: "x" } })).rejects.toBe(failure);
  expect(lines).toEqual([["An action failed", { action: "invite_account" }, failure]]);
});

test.each([
  ["an unknown action", { action: "drop_everything", input: {} }],
  ["a wrong input", { action: "invite_account", input: { email: 1 } }],
])("%s is thrown", async (_what, event) => {
  await expect(provision({}).ask(event)).rejects.toThrow();
});

/** A handler whose sweep and jobs note what they looked at. */
function sweeping(failing?: string) {
  const seen: string[] = [];
  const deps = {
    tenants: {
      get: async (id: string) => {
        if (id === failing) throw new Error("no answer");
        seen.push(id);
      },
      many: async () => [],
    },
    setups: {
      async *unchecked() {
        yield "t1";
      },
    },
    keys: { async *ofStack() {} },
    progress: { walked: async () => 1 },
    effects: {},
    people: { listInvited: async () => ({ accounts: [], next: undefined }) },
    jobs: {
      sendAll: async (jobs: { tenant_id: string }[]) => void seen.push(...jobs.map((job) => `job ${job.tenant_id}`)),
    },
    log: { info: () => {}, problem: () => {} },
    clock: () => 0,
  } as unknown as ProvisionDependencies;
  const handler = provisionHandler(deps);
  return { seen, ask: (event: unknown) => handler(event as never, {} as Context) as Promise<unknown> };
}

test("its schedule sweeps", async () => {
  const { seen, ask } = sweeping();
  expect(await ask({ source: "aws.events", "detail-type": "Scheduled Event" })).toBeUndefined();
  expect(seen).toEqual(["job t1"]);
});

test("its queue's jobs are done each by itself, and those alone that failed come back", async () => {
  const { seen, ask } = sweeping("t2");
  const record = (id: string) => ({
    messageId: `m-${id}`,
    body: JSON.stringify({ kind: "tenant", tenant_id: id }),
    attributes: { ApproximateReceiveCount: "1" },
  });
  expect(await ask({ Records: ["t1", "t2"].map(record) })).toEqual({ batchItemFailures: [{ itemIdentifier: "m-t2" }] });
  expect(seen).toEqual(["t1"]);
});

test("what is asked to be removed of a tenant that is not deleted is a refusal", async () => {
  const deps = {
    tenants: { get: async () => ({ tenant_id: "t1", status: "active" }) },
    log: { info: () => {}, problem: () => {} },
  } as unknown as ProvisionDependencies;
  const answer = await provisionHandler(deps)(
    { action: "remove_tenant", input: { tenant_id: "t1" } } as never,
    {} as Context,
  );
  expect(answer).toMatchObject({ refusal: { code: "conflict" } });
});

test("the owner's payments are asked for by the workspace, and nobody's where nothing is billed", async () => {
  const asked: unknown[] = [];
  const ownerPayments: ProvisionDependencies["ownerPayments"] = {
    state: async () => undefined,
    setupPage: async (...given) => `https://setup.example/${asked.push(given)}`,
    portalPage: async (...given) => `https://portal.example/${asked.push(given)}`,
  };
  const log = { info: () => {}, problem: () => {} };
  const of = (deps: object) => {
    const handler = provisionHandler({ log, ...deps } as unknown as ProvisionDependencies);
    return (action: string, input: object) =>
      handler({ action, input: { tenant_id: "t1", ...input } } as never, {} as Context) as Promise<unknown>;
  };
  const ask = of({ ownerPayments });
  expect(await ask("payment_state", {})).toEqual({ result: { state: null } });
  expect(
    await ask("open_payment_setup", { success_url: "https://a.example", cancel_url: "https://b.example" }),
  ).toEqual({
    result: { url: "https://setup.example/1" },
  });
  expect(await ask("open_payment_portal", { return_url: "https://c.example" })).toEqual({
    result: { url: "https://portal.example/2" },
  });
  expect(asked).toEqual([
    ["t1", { successUrl: "https://a.example", cancelUrl: "https://b.example" }],
    ["t1", { returnUrl: "https://c.example" }],
  ]);
  expect(await of({})("payment_state", {})).toMatchObject({ refusal: { code: "not_found" } });
});
