import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openControlPlane } from "../../support/control-plane.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

describe("POST /v1/tenants", () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await openControlPlane();
  });
  afterAll(() => plane.close());

  test("creates a workspace with the specified fields and its proxy address", async () => {
    const { status, body, headers } = await plane.call("POST", "/v1/tenants", {
      as: { sub: "ann" },
      body: { name: "Acme Größe", default_region: "eu-central-2" },
    });
    expect(status).toBe(201);
    expect(headers["request-id"]).toMatch(/^[\w-]{36}$/);
    expect(body).toEqual({
      tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Acme Größe",
      slug: "acme-grosse",
      owner_sub: "ann",
      tier: "starter",
      status: "active",
      has_payment_method: false,
      default_region: "eu-central-2",
      created_at: expect.stringMatching(/Z$/),
      setup_state: { pending: ["kms_key", "stripe_customer", "stripe_subscription"] },
      proxy_url: "https://acme-grosse.proxy.example.com/vendor/v1",
    });
  });
});
