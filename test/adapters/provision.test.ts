import { type InvokeCommand, type LambdaClient, TooManyRequestsException } from "@aws-sdk/client-lambda";
import { expect, test } from "@jest/globals";
import { provisionClient, provisionedAccounts, provisionedPayments } from "../../adapters/provision.ts";

type Answer = { FunctionError?: string; payload: unknown };

/** A client whose function answers so, and the payloads that it got. */
function lambda(answer: Answer | Error) {
  const asked: unknown[] = [];
  const client = {
    send: async ({ input }: InvokeCommand) => {
      asked.push([input.FunctionName, JSON.parse(String(input.Payload))]);
      if (answer instanceof Error) throw answer;
      const { payload, ...rest } = answer;
      return { ...rest, Payload: { transformToString: () => JSON.stringify(payload) } };
    },
  } as unknown as LambdaClient;
  return { asked, provision: provisionClient("arn:provision", async () => client) };
}

test("an action crosses with its input, and its result comes back", async () => {
  const { asked, provision } = lambda({ payload: { result: { sub: "ann", state: "created" } } });
  expect(await provisionedAccounts(provision).invite("ann@example.com")).toEqual({ sub: "ann", state: "created" });
  expect(asked).toEqual([["arn:provision", { action: "invite_account", input: { email: "ann@example.com" } }]]);
});

test("an invitation is sent again, or there is none to send", async () => {
  const { provision } = lambda({ payload: { result: { sent: false } } });
  expect(await provisionedAccounts(provision).resend("ann@example.com")).toBe(false);
});

test("a refusal arrives with its code, its message and its fields", async () => {
  const refusal = { code: "invalid_request", message: "email: not taken", fields: ["email"] };
  const { provision } = lambda({ payload: { refusal } });
  await expect(provision("invite_account", { email: "x" })).rejects.toMatchObject({
    name: "Error",
    status: 400,
    ...refusal,
  });
});

test("a failure of the function is no refusal, and tells no more than its type", async () => {
  const payload = { errorType: "TypeError", errorMessage: "arn:aws:kms:secret" };
  const { provision } = lambda({ FunctionError: "Unhandled", payload });
  const failure = await provision("invite_account", { email: "x" }).catch((error) => error);
  expect([failure.code, failure.message]).toEqual([undefined, "provision failed at invite_account: TypeError"]);
});

test.each([
  ["throttled", new TooManyRequestsException({ message: "Rate exceeded", $metadata: {} })],
  ["not reached", Object.assign(new Error("socket hang up"), { $metadata: {} })],
])("a function that was %s is worth another try", async (_what, error) => {
  const failure = lambda(error).provision("invite_account", { email: "x" });
  await expect(failure).rejects.toMatchObject({ code: "identity_unavailable", retryAfterSeconds: 1, cause: error });
});

test("the payment provider's pages and state are asked for by the workspace", async () => {
  const none = lambda({ payload: { result: { state: null } } });
  expect(await provisionedPayments(none.provision).state("t1")).toBeUndefined();
  const { asked, provision } = lambda({ payload: { result: { url: "https://a.example" } } });
  const payments = provisionedPayments(provision);
  expect(await payments.setupPage("t1", { successUrl: "s", cancelUrl: "c" })).toBe("https://a.example");
  expect(await payments.portalPage("t1", { returnUrl: "r" })).toBe("https://a.example");
  expect(asked.map((one) => (one as unknown[])[1])).toEqual([
    { action: "open_payment_setup", input: { tenant_id: "t1", success_url: "s", cancel_url: "c" } },
    { action: "open_payment_portal", input: { tenant_id: "t1", return_url: "r" } },
  ]);
});

test("a payment provider that does not answer within the time is not there right now", async () => {
  const timeOut = Object.assign(new Error("timed out"), { $metadata: {} });
  const payments = provisionedPayments(lambda(timeOut).provision);
  const expected = { code: "payments_unavailable", status: 503, retryAfterSeconds: 10, cause: timeOut };
  await expect(payments.setupPage("t1", { successUrl: "s", cancelUrl: "c" })).rejects.toMatchObject(expected);
  await expect(payments.portalPage("t1", { returnUrl: "r" })).rejects.toMatchObject(expected);
  await expect(payments.state("t1")).rejects.toMatchObject(expected);
  const refusal = { code: "not_found", message: "This platform bills nobody." };
  const refused = provisionedPayments(lambda({ payload: { refusal } }).provision);
  await expect(refused.state("t1")).rejects.toMatchObject(refusal);
});
