import { expect, test } from "@jest/globals";
import type { Context } from "aws-lambda";
import { Refusal } from "../../../domain/refusal.ts";
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
