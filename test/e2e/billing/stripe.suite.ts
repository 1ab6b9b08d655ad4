// The local Stripe inside a running stack: under the platform's port, with the stack's faults, calls, settings and clock.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { setUpAccount } from "../../../adapters/stripe/account-setup.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";

describe("Stripe", () => {
  let stack: Stack;
  let options: { secretKey: string; address: string };

  beforeAll(async () => {
    stack = await sharedStack();
    options = { secretKey: "sk_test_local", address: stack.at("stripe") };
  });
  afterEach(() => local("DELETE", "/faults"));

  // biome-ignore lint/suspicious/noExplicitAny: answers of all kinds, each looked at by its test.
  async function local(method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
    const response = await fetch(`${stack.edge}/_local${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  test("the local Stripe is set up and reachable at /@stripe, with its pages for a browser", async () => {
    const steps = await setUpAccount(options, {
      slots: 1,
      webhookUrl: "https://stripe-suite.localhost/webhook",
      secrets: { get: async () => undefined, put: async () => {} },
    });
    expect(steps.map(({ what }) => what)).toContain("price usage_usd_1");
    const payments = stripePayments(options);
    const { id } = await payments.customer({ sub: "stripe-suite", email: "suite@acme.example" });
    const url = await payments.portalPage({ customerId: id, returnUrl: "https://console.example" });
    expect(url).toMatch(`${stack.at("stripe")}/p/session/`);
    expect(await (await fetch(url)).text()).toContain("Payment methods");
  });

  test("webhooks of the local Stripe reach the platform's own hosts", async () => {
    // The stack set its own destination up when it started.
    const requests = () => stack.logs.lines().filter(({ line }) => line.includes('"service":"webhook"')).length;
    const before = requests();
    const payments = stripePayments(options);
    const { id } = await payments.customer({ sub: "stripe-suite-3", email: "three@acme.example" });
    // `customer.deleted` is an event that the platform asks for.
    await payments.deleteCustomer(id);
    await stack.stripe.idle();
    expect(requests()).toBeGreaterThan(before);
  });

  test("the stack's faults apply to the local Stripe, and its calls are listed", async () => {
    await local("PUT", "/faults", [
      { service: "stripe", operation: "customers.list", when: "before", kind: "error" },
    ] as object);
    const owner = { sub: "stripe-suite-2", email: "two@acme.example" };
    await expect(stripePayments(options).customer(owner)).rejects.toMatchObject({ code: "payments_unavailable" });
    const { body } = await local("GET", "/calls");
    expect(body.calls).toContainEqual(
      expect.objectContaining({ service: "stripe", operation: "customers.list", fault: "error before", status: 500 }),
    );
  });

  test("the local Stripe is configured at /_local/stripe/settings, which refuses unknown settings", async () => {
    const before = (await local("GET", "/stripe/settings")).body;
    expect((await local("PUT", "/stripe/settings", { usage_lag_seconds: 5 })).body).toEqual({
      ...before,
      usage_lag_seconds: 5,
    });
    expect(await local("PUT", "/stripe/settings", { usage_lag_seconds: -1 })).toMatchObject({ status: 400 });
    expect((await local("PUT", "/stripe/settings", before)).body).toEqual(before);
    expect(Array.isArray((await local("GET", "/stripe/deliveries")).body)).toBe(true);
  });
});
