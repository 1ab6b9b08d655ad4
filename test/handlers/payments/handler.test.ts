import { expect, test } from "@jest/globals";
import type { PaymentsDependencies } from "../../../handlers/payments/handler.ts";
import { paymentsHandler } from "../../../handlers/payments/handler.ts";

const log = { info: () => {}, problem: () => {} };
const asking = (deps: object) => {
  const handler = paymentsHandler({ log, ...deps } as unknown as PaymentsDependencies);
  return (action: string, input: object = {}) => handler({ action, input: { tenant_id: "t1", ...input } });
};

test("the owner's payments are requested for the workspace", async () => {
  const asked: unknown[] = [];
  const ownerPayments: PaymentsDependencies["ownerPayments"] = {
    state: async () => undefined,
    invoices: async (...given) => void asked.push(given) as undefined,
    label: async (...given) => void asked.push(given),
    setupPage: async (...given) => `https://setup.example/${asked.push(given)}`,
    portalPage: async (...given) => `https://portal.example/${asked.push(given)}`,
  };
  const ask = asking({ ownerPayments });
  expect(await ask("state")).toEqual({ result: { state: null } });
  const urls = { success_url: "https://a.example", cancel_url: "https://b.example" };
  expect(await ask("open_setup_page", urls)).toEqual({ result: { url: "https://setup.example/1" } });
  expect(await ask("open_portal_page", { return_url: "https://c.example" })).toEqual({
    result: { url: "https://portal.example/2" },
  });
  expect(await ask("invoices", { limit: 7, after: "in_1" })).toEqual({ result: { page: null } });
  expect(await ask("label")).toEqual({ result: {} });
  expect(asked).toEqual([
    ["t1", { successUrl: "https://a.example", cancelUrl: "https://b.example" }],
    ["t1", { returnUrl: "https://c.example" }],
    ["t1", { limit: 7, after: "in_1" }],
    ["t1"],
  ]);
});

test("billing of a workspace that is not deleted is neither ended nor removed, whoever asks", async () => {
  const ask = asking({ tenants: { get: async () => ({ tenant_id: "t1", status: "suspended" }) } });
  expect(await ask("end")).toMatchObject({ refusal: { code: "workspace_not_deleted" } });
  expect(await ask("remove")).toMatchObject({ refusal: { code: "workspace_not_deleted" } });
});

test("ending the billing of a purged workspace does nothing", async () => {
  const ask = asking({ tenants: { get: async () => undefined } });
  expect(await ask("end")).toEqual({ result: { ended: true } });
  expect(await ask("remove")).toEqual({ result: { removed: {} } });
  expect(await ask("set_up")).toEqual({ result: {} });
});
