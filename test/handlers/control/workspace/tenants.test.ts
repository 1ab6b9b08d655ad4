import { GetCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { creditRecord } from "../../../../adapters/dynamodb/budget/credit.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import type { TenantEffects } from "../../../../domain/provisioning/tenant-creation.ts";
import { consoleClient, helperClaims, openControlPlane } from "../../../support/control-plane.ts";
import { tableName } from "../../../support/dynamodb/stores.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

let plane: ControlPlane;
/** Set by a test: the step before which the function dies, once. */
let dieBefore: keyof TenantEffects | undefined;

beforeAll(async () => {
  plane = await openControlPlane(({ tenantEffects }) => ({
    tenantEffects: (clientId) => mortal(tenantEffects(clientId)),
  }));
});
afterAll(() => plane.close());

function mortal(effects: TenantEffects): TenantEffects {
  return new Proxy(effects, {
    get: (target, name: keyof TenantEffects) => {
      if (name !== dieBefore) return target[name];
      dieBefore = undefined;
      return async () => {
        throw new Error("the function is gone");
      };
    },
  });
}

async function partition(pk: string) {
  const { Items } = await plane.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": pk },
    }),
  );
  return Items ?? [];
}

const create = (sub: string, name: unknown, headers: Record<string, string> = {}) =>
  plane.call("POST", "/v1/tenants", { as: { sub }, body: { name }, headers });

describe("POST /v1/tenants", () => {
  test("POST /v1/tenants creates a workspace with the specified fields and its proxy address", async () => {
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
      version: 0,
      proxy_url: "https://acme-grosse.proxy.example.com/vendor/v1",
    });
  });

  test("POST /v1/tenants on a stack that does not bill has no pending step at a payment provider", async () => {
    const unbilled = await openControlPlane(() => ({ payments: undefined }));
    try {
      const { body } = await unbilled.call("POST", "/v1/tenants", { as: { sub: "ann" }, body: { name: "Unbilled" } });
      expect(body.setup_state).toEqual({ pending: ["kms_key"] });
    } finally {
      await unbilled.close();
    }
  });

  test("POST /v1/tenants writes tenant, credit, manifest, slug reservation, membership and active workspace", async () => {
    const { body } = await create("bea", "Six effects");
    expect(await partition(`TENANT#${body.tenant_id}`)).toMatchObject([{ sk: "TENANT" }]);
    expect(await partition(`CREDIT#${body.tenant_id}`)).toMatchObject([
      { sk: "CREDIT", granted_tokens: 10_000, spent: 0, committed: 0 },
    ]);
    const manifest = await partition(`MANIFEST#${body.tenant_id}`);
    expect(manifest.map(({ sk }) => sk)).toEqual(["kms_key", "stripe_customer", "stripe_subscription"]);
    expect(manifest[0]).toMatchObject({ kind: "kms_key", state: "intended" });
    expect(await partition("SLUG#six-effects")).toMatchObject([{ tenant_id: body.tenant_id }]);
    expect(await partition("USER#bea")).toMatchObject([
      { sk: `ACTIVE#${consoleClient}`, tenant_id: body.tenant_id },
      { sk: `TENANT#${body.tenant_id}`, tenant_role: "owner", status: "active" },
    ]);
  });

  test("POST /v1/tenants uses the platform's region if none is given", async () => {
    const { body } = await create("ann", "No region");
    expect(body.default_region).toBe("eu-central-1");
  });

  test.each([
    ["", "name: must have letters or digits of which an address can be made"],
    ["🚀", "name: must have letters or digits of which an address can be made"],
    ["Admin", "name: gives an address that is reserved"],
    ["x".repeat(64), "name: gives an address that is longer than 63 characters"],
    [undefined, "name: is required"],
    [7, "name: expected string, received number"],
  ])("POST /v1/tenants refuses the name %p", async (name, message) => {
    const { status, body } = await create("ann", name);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: "invalid_request_error", message });
  });

  test("POST /v1/tenants refuses an unknown region, and names the known regions", async () => {
    const { status, body } = await plane.call("POST", "/v1/tenants", {
      as: { sub: "ann" },
      body: { name: "Mars", default_region: "mars-1" },
    });
    expect(status).toBe(400);
    expect(body.error.message).toBe("default_region: must be one of eu-central-1, eu-central-2, us-east-1");
  });

  test.each([
    ["株式会社", "zhushihuishe"],
    ["ソニー", "soni"],
    ["삼성전자", "samseongjeonja"],
    ["שלום עולם", "slvm-vlm"],
    ["ประเทศไทย", "praethsaithy"],
    ["شركة", "shrkh"],
    ["xn--mnchen-3ya", "xn-mnchen-3ya"],
  ])(
    "POST /v1/tenants gives the name %s an address of letters that a host name allows, and so does renaming to it",
    async (name, slug) => {
      const made = await plane.call("POST", "/v1/tenants", { as: { sub: "scripts" }, body: { name } });
      expect([made.status, made.body.name, made.body.slug]).toEqual([201, name, slug]);
      expect(new URL(made.body.proxy_url).hostname).toBe(`${slug}.proxy.example.com`);
      const other = await plane.workspace(`Before ${slug}`, "scripts");
      const rename = (to: string) =>
        plane.call("PATCH", `/v1/tenants/${other.tenant_id}`, { as: { sub: "scripts" }, body: { name: to } });
      expect((await rename(name)).status).toBe(409);
      expect((await rename(`${name} 2`)).body.slug).toBe(`${slug}-2`);
    },
  );

  test("POST /v1/tenants refuses the slug of another workspace, and names the field", async () => {
    await create("ann", "Taken");
    const { status, body } = await create("bob", "  TAKEN  ");
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ type: "conflict_error", details: { error_code: "slug_taken" } });
    expect(body.error.message).toMatch(/^name: .*"taken"/);
  });

  test("POST /v1/tenants gives a slug to only one of two simultaneous requests", async () => {
    const replies = await Promise.all(["ann", "bob"].map((sub) => create(sub, "Race for one")));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    const again = await Promise.all([create("cat", "Race of one person"), create("cat", "Race of one person")]);
    expect(again.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test("POST /v1/tenants answers a repeat with the same Idempotency-Key alike, and creates nothing", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await create("dan", "Only once", headers);
    await plane.document.send(
      new UpdateCommand({
        TableName: tableName,
        Key: tenantRecord.key({ tenant_id: first.body.tenant_id }),
        UpdateExpression: "SET has_payment_method = :yes",
        ExpressionAttributeValues: { ":yes": true },
      }),
    );
    const second = await create("dan", "Only once", headers);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect((await partition("USER#dan")).length).toBe(2);
  });

  test("POST /v1/tenants creates one workspace for an Idempotency-Key that is used twice at the same time", async () => {
    const headers = { "idempotency-key": "twice-at-once" };
    const replies = await Promise.all([1, 2, 3].map(() => create("eve", "Triple", headers)));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(replies.map(({ body }) => body.tenant_id)).size).toBe(1);
    expect((await partition("USER#eve")).length).toBe(2);
  });

  test("POST /v1/tenants refuses an Idempotency-Key that was used with another body", async () => {
    const headers = { "idempotency-key": "reused" };
    await create("fay", "Fay one", headers);
    const { status, body } = await create("fay", "Fay two", headers);
    expect(status).toBe(409);
    expect(body.error.message).toMatch(/^idempotency-key: /);
  });

  test("POST /v1/tenants keeps the Idempotency-Keys of different people apart", async () => {
    const headers = { "idempotency-key": "common" };
    const one = await create("gil", "Gil", headers);
    const other = await create("hal", "Hal", headers);
    expect([one.status, other.status]).toEqual([201, 201]);
  });

  test.each(["", "with space", "ü", "x".repeat(256)])(
    "POST /v1/tenants refuses the Idempotency-Key %p",
    async (key) => {
      const { status, body } = await create("ann", "Bad key", { "idempotency-key": key });
      expect(status).toBe(400);
      expect(body.error.message).toMatch(/^idempotency-key: must be/);
    },
  );

  test.each(["free_credit", "membership"] as const)(
    "POST /v1/tenants continues a creation that was interrupted before %s",
    async (step) => {
      const headers = { "idempotency-key": step };
      const name = `Cut before ${step.replace("_", " ")}`;
      dieBefore = step;
      expect(await create("ida", name, headers)).toMatchObject({ status: 500 });
      expect(await plane.call("GET", "/v1/tenants/my", { as: { sub: "ida" } })).not.toMatchObject({ body: { name } });

      const { status, body } = await create("ida", name, headers);
      expect(status).toBe(201);
      expect(body.setup_state.pending).toEqual(["kms_key", "stripe_customer", "stripe_subscription"]);
      const { Item } = await plane.document.send(
        new GetCommand({ TableName: tableName, Key: creditRecord.key({ tenant_id: body.tenant_id }) }),
      );
      expect(Item).toMatchObject({ spent: 0 });
      expect(await plane.call("GET", "/v1/tenants/my", { as: { sub: "ida" } })).toMatchObject({ body: { name } });
    },
  );

  test("POST /v1/tenants does not give the free credit twice when it continues a creation", async () => {
    const headers = { "idempotency-key": "spent" };
    dieBefore = "membership";
    await create("jan", "Spent some", headers);
    const [{ tenant_id }] = (await partition("SLUG#spent-some")) as [{ tenant_id: string }];
    await plane.document.send(
      new UpdateCommand({
        TableName: tableName,
        Key: creditRecord.key({ tenant_id }),
        UpdateExpression: "SET spent = :left",
        ExpressionAttributeValues: { ":left": 1 },
      }),
    );
    await create("jan", "Spent some", headers);
    const { Item } = await plane.document.send(
      new GetCommand({ TableName: tableName, Key: creditRecord.key({ tenant_id }) }),
    );
    expect(Item?.spent).toBe(1);
  });

  test("POST /v1/tenants without an Idempotency-Key continues the caller's own creation once the first attempt must have ended", async () => {
    dieBefore = "membership";
    await create("kim", "Kim and sons");
    expect(await create("kim", "Kim and sons")).toMatchObject({ status: 409 });
    plane.db.clock.advance(61_000);
    expect(await create("lou", "Kim and sons")).toMatchObject({ status: 409 });
    expect(await create("kim", "Kim and sons")).toMatchObject({ status: 201, body: { owner_sub: "kim" } });
    expect(await create("kim", "Kim and sons")).toMatchObject({ status: 409 });
  });
});

describe("GET /v1/tenants/address", () => {
  const address = (name: string) =>
    plane.call("GET", "/v1/tenants/address", { as: { sub: "looking" }, query: { name } });

  test("GET /v1/tenants/address returns the address that a name would get, and whether it is free", async () => {
    const free = { slug: "nur-fur-uns", proxy_url: "https://nur-fur-uns.proxy.example.com/vendor/v1", is_free: true };
    expect(await address("Nur für uns")).toMatchObject({ status: 200, body: free });
    const { body } = await create("quick", "Nur für uns");
    expect(body).toMatchObject({ slug: free.slug, proxy_url: free.proxy_url });
    expect((await address("NUR FUR UNS!")).body).toEqual({ ...free, is_free: false });
  });

  test.each([
    ["🙂", "must have letters or digits of which an address can be made"],
    ["Console", "gives an address that is reserved"],
    ["x".repeat(64), "gives an address that is longer than 63 characters"],
  ])("GET /v1/tenants/address refuses the name %j with the same message as the creation", async (name, message) => {
    const { status, body } = await address(name);
    expect([status, body.error.message]).toEqual([400, `name: ${message}`]);
    expect((await create("quick", name)).body.error.message).toBe(`name: ${message}`);
  });
});

describe("with manual approval", () => {
  let manual: ControlPlane;
  beforeAll(async () => {
    manual = await openControlPlane(({ settings }) => ({ settings: { ...settings, approval: "manual" } }));
  });
  afterAll(() => manual.close());

  test("a pending person cannot create a workspace, and an approved person can", async () => {
    const { stores, call } = manual;
    const created_at = new Date().toISOString();
    await stores.users.putProfile({
      sub: "pam",
      email: "pam@acme.test",
      approval_status: "pending",
      created_at,
      provider: "password",
      email_verified: true,
    });
    await stores.users.putProfile({
      sub: "oli",
      email: "oli@acme.test",
      approval_status: "approved",
      created_at,
      provider: "password",
      email_verified: true,
    });
    const [pending, unknown, approved] = await Promise.all(
      ["pam", "nobody", "oli"].map((sub) => call("POST", "/v1/tenants", { as: { sub }, body: { name: `Of ${sub}` } })),
    );
    expect(pending).toMatchObject({ status: 403, body: { error: { details: { error_code: "approval_pending" } } } });
    expect(unknown).toMatchObject({ status: 403 });
    expect(approved).toMatchObject({ status: 201 });
  });
});

describe("GET /v1/tenants/my", () => {
  test("GET /v1/tenants/my answers 404 no_active_tenant to a person without a workspace", async () => {
    const { status, body } = await plane.call("GET", "/v1/tenants/my", { as: { sub: "nobody" } });
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ type: "not_found_error", details: { error_code: "no_active_tenant" } });
  });

  test("GET /v1/tenants/my returns a new workspace at once, whatever the token says", async () => {
    const created = await create("max", "Max works");
    const { status, body } = await plane.call("GET", "/v1/tenants/my", { as: { sub: "max" } });
    expect(status).toBe(200);
    expect(body).toEqual(created.body);
  });

  test("GET /v1/tenants/my gives each app client its own active workspace", async () => {
    const one = await plane.call("POST", "/v1/tenants", { as: { sub: "ned" }, body: { name: "Ned one" } });
    const helper = { sub: "ned", ...helperClaims };
    await plane.call("POST", `/v1/tenants/${one.body.tenant_id}/activate`, { as: helper });
    await plane.call("POST", "/v1/tenants", { as: { sub: "ned" }, body: { name: "Ned two" } });
    const of = async (as: Partial<Claims>) => (await plane.call("GET", "/v1/tenants/my", { as })).body.name;
    expect(await of(helper)).toBe("Ned one");
    expect(await of({ sub: "ned" })).toBe("Ned two");
  });

  test("GET /v1/tenants/my does not return a deleted workspace", async () => {
    const first = await create("pat", "Pat one");
    const second = await create("pat", "Pat two");
    await plane.document.send(
      new UpdateCommand({
        TableName: tableName,
        Key: tenantRecord.key({ tenant_id: second.body.tenant_id }),
        UpdateExpression: "SET #status = :deleted",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":deleted": "deleted" },
      }),
    );
    const { body } = await plane.call("GET", "/v1/tenants/my", { as: { sub: "pat" } });
    expect(body.tenant_id).toBe(first.body.tenant_id);
  });
});
