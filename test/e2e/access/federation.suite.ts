// Who signs in with an external provider: as whom, into which workspace, and what they are told if they may not.
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { profileRecord } from "../../../adapters/dynamodb/people/user.record.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { acceptInvitation, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { partition } from "../../support/accounting/accounting.ts";
import { FederatedClient, type SignedIn } from "../../support/people/federated-sign-in.ts";
import { sharedStack } from "../../support/shared-stack.ts";

const minute = 60_000;
const dayMs = 86_400_000;
const linked = /^Already found an entry for username google_\d+$/;

describe("an external provider", () => {
  let stack: Stack;
  let owner: Person;
  let workspace: { tenant_id: string; slug: string };
  let cursor: number;

  beforeAll(async () => {
    stack = await sharedStack();
    ({ cursor } = stack.calls.since(0));
    owner = await signUp(stack, "owner@federation.example");
    workspace = await openWorkspace(stack, owner, "Federation");
  });
  afterEach(() => {
    stack.faults.clear();
    expect(stack.calls.since(cursor).calls.filter(({ allowed }) => !allowed)).toEqual([]);
  });

  async function call(as: Person | string, method: string, path: string, body?: object) {
    const token = typeof as === "string" ? as : await consoleToken(stack, as);
    const response = await fetch(`${stack.at("api")}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }
  const invite = async (email: string) => (await call(owner, "POST", "/users/invite", { email })).body;
  const accept = async (as: Person | string) =>
    expect((await call(as, "POST", `/me/invitations/${workspace.tenant_id}/accept`)).status).toBe(200);
  const vouched = (email: string) => ({ email, isVouchedFor: true });
  const profileOf = async (sub: string) =>
    (await partition(stack, profileRecord.key({ sub }).pk)).find(({ sk }) => sk === "PROFILE");
  const callsOf = (from: number) => stack.calls.since(from).calls.filter((one) => one.function === "triggers-local");

  /** Signs in as a client that knows of the first failure: it asks once more. */
  async function signIn(client: FederatedClient, email: string): Promise<SignedIn> {
    const first = await client.signIn(vouched(email));
    const second = typeof first === "string" ? await client.signIn(vouched(email)) : first;
    if (typeof second === "string") throw new Error(second);
    return second;
  }

  test("an external provider that vouches for an invited address signs in to the invited account at the second try", async () => {
    const email = "ann@federation.example";
    const { user_id } = await invite(email);
    const client = new FederatedClient(stack, "tokenHelper");
    expect(await client.signIn(vouched("Ann@Federation.example"))).toMatch(linked);
    expect(await profileOf(user_id)).toBeUndefined();
    const { claims } = (await client.signIn(vouched(email))) as SignedIn;
    expect(claims).toMatchObject({ sub: user_id, tenant_id: workspace.tenant_id, tenant_role: "developer" });
    expect(await profileOf(user_id)).toMatchObject({ email, approval_status: "approved" });
    const { data } = (await call(owner, "GET", "/audit?action=user.join")).body;
    expect(data.find(({ target }: { target: string }) => target === user_id)).toMatchObject({
      actor_email: email,
      after: { status: "active", email, linked: ["Google"] },
    });

    const { cursor: before } = stack.calls.since(0);
    await client.signIn(vouched(email));
    expect(callsOf(before).map(({ operation }) => operation)).toEqual(["Query", "BatchGetItem"]);

    stack.clock.advance(8 * dayMs);
    await stack.schedules.run("reconcile");
    expect((await client.signIn(vouched(email))) as SignedIn).toMatchObject({
      sub: user_id,
      claims: { tenant_id: workspace.tenant_id },
    });
  });

  test("a person of an external provider who takes another's address without proof gets no invitation to that address", async () => {
    const client = new FederatedClient(stack);
    const mallory = await client.signIn({ email: "mallory@evil.example", isVouchedFor: true, subject: "31337" });
    const { sub } = mallory as SignedIn;
    const asVictim = (email: string) => client.signIn({ email, isVouchedFor: false, subject: "31337" });
    const early = await invite("early@federation.example");
    const { claims } = (await asVictim("early@federation.example")) as SignedIn;
    expect([claims.sub === sub, early.user_id === sub, "tenant_id" in claims]).toEqual([true, false, false]);
    const { user_id } = await invite("late@federation.example");
    expect((await asVictim("late@federation.example")) as SignedIn).toMatchObject({ sub });
    expect(user_id).not.toBe(sub);
  });

  test("an external provider that does not vouch for an invited address is refused with a reason, and the mailed invitation still works", async () => {
    const email = "ben@federation.example";
    const { user_id } = await invite(email);
    const refused = await new FederatedClient(stack).signIn({ email, isVouchedFor: false });
    expect(refused).toBe(
      "PreSignUp failed with error Google has not confirmed that this e-mail address is yours, and it has an account here: sign in " +
        "with the password or the mailed invitation, or confirm the address at Google first.",
    );
    expect(await profileOf(user_id)).toBeUndefined();
    const person = await acceptInvitation(stack, { email, sub: user_id });
    expect((await call(person, "GET", "/me")).body).toMatchObject({ tenant_id: workspace.tenant_id });
  });

  test("an external provider's account with another address than the invited one is another person; the invitation remains", async () => {
    const { user_id } = await invite("cem@federation.example");
    const other = (await new FederatedClient(stack).signIn(vouched("cem@private.example"))) as SignedIn;
    expect(other.sub).not.toBe(user_id);
    expect(other.claims).not.toHaveProperty("tenant_id");
    expect(await profileOf(other.sub)).toMatchObject({ approval_status: "approved" });
    const unvouched = { email: "nobody@private.example", isVouchedFor: false };
    const unknown = (await new FederatedClient(stack).signIn(unvouched)) as SignedIn;
    expect(await profileOf(unknown.sub)).toMatchObject({ approval_status: "approved" });
    const { data } = (await call(owner, "GET", "/users?limit=100")).body;
    const invited = data.find((one: { user_id: string }) => one.user_id === user_id);
    expect(invited).toMatchObject({ email: "cem@federation.example" });
    expect(invited).not.toHaveProperty("status");
  });

  test("a person of an external provider who signed in before the invitation is the invited person; a removal and an acceptance apply to the next token", async () => {
    const client = new FederatedClient(stack);
    const signedIn = (await client.signIn(vouched("dee@federation.example"))) as SignedIn;
    expect(await invite("dee@federation.example")).toMatchObject({ user_id: signedIn.sub, mail: "sent" });
    expect((await client.refresh(signedIn)).claims).not.toHaveProperty("tenant_id");
    await accept(signedIn.accessToken);
    const joined = await client.refresh(signedIn);
    expect(joined.claims).toMatchObject({ tenant_id: workspace.tenant_id, tenant_role: "developer" });
    expect((await call(owner, "DELETE", `/users/${signedIn.sub}`)).status).toBe(204);
    const left = await client.refresh(joined);
    expect(left.claims).not.toHaveProperty("tenant_id");
    stack.clock.advance(10 * minute);
    expect(await invite("dee@federation.example")).toMatchObject({ user_id: signedIn.sub });
    await accept(left.accessToken);
    expect((await client.refresh(left)).claims).toMatchObject({ tenant_id: workspace.tenant_id });
  });

  test("an external provider's account and a later password account are two people: the code's mail and both accounts say so", async () => {
    const email = "two@federation.example";
    const first = (await new FederatedClient(stack).signIn(vouched(email))) as SignedIn;
    const second = await signUp(stack, email);
    const [mail] = stack.mailbox.mails(email).slice(-1);
    expect(mail?.text).toContain(
      "You have an account at Archway with this address already, and Google signs you in to it.",
    );
    const { body } = await call(second, "GET", "/me");
    expect([body.user_id === first.sub, body.other_accounts]).toEqual([false, [{ provider: "Google" }]]);
    const { other_accounts } = (await call(first.accessToken, "GET", "/me")).body;
    expect(other_accounts).toEqual([{ provider: "password" }]);
    const alone = await signUp(stack, "alone@federation.example");
    expect((await call(alone, "GET", "/me")).body).not.toHaveProperty("other_accounts");
  });

  test("an external provider never signs in to an unconfirmed account with the same address", async () => {
    const email = "eve@federation.example";
    const ClientId = stack.program.exports.consoleClientId;
    const headers = {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": "AWSCognitoIdentityProviderService.SignUp",
    };
    const body = JSON.stringify({ ClientId, Username: email, Password: "Attackers-password-1" });
    const planted = (await (await fetch(stack.aws, { method: "POST", headers, body })).json()) as { UserSub: string };
    const own = (await new FederatedClient(stack).signIn(vouched(email))) as SignedIn;
    expect(own.sub).not.toBe(planted.UserSub);
    expect(await invite(email)).toMatchObject({ user_id: own.sub });
    await expect(consoleToken(stack, { email, password: "Attackers-password-1" })).rejects.toThrow();
  });

  test("an external provider makes a person a platform administrator only by a vouched address", async () => {
    const { email, sub } = stack.demo?.platform_admin ?? { email: "", sub: "" };
    expect(await new FederatedClient(stack).signIn({ email, isVouchedFor: false })).toMatch("has not confirmed");
    const admin = await signIn(new FederatedClient(stack), email);
    expect([admin.sub, admin.claims.platform_role]).toEqual([sub, "platform_admin"]);
  });

  test("an external provider that no longer says whether an address is verified keeps its people in their workspaces, but makes none a member by an invitation", async () => {
    const email = "hal@federation.example";
    const client = new FederatedClient(stack);
    const { sub } = (await client.signIn(vouched(email))) as SignedIn;
    expect(await invite(email)).toMatchObject({ user_id: sub });
    await accept(((await client.signIn(vouched(email))) as SignedIn).accessToken);
    expect(((await client.signIn(vouched(email))) as SignedIn).claims).toMatchObject({
      tenant_id: workspace.tenant_id,
    });
    const dropped = (await client.signIn({ email, isVouchedFor: false })) as SignedIn;
    expect(dropped).toMatchObject({ sub, claims: { tenant_id: workspace.tenant_id } });
    const other = await signUp(stack, "other@federation.example");
    await openWorkspace(stack, other, "Other");
    const invited = await call(other, "POST", "/users/invite", { email });
    expect([invited.status, invited.body.user_id === sub]).toEqual([201, false]);
    expect((await client.refresh(dropped)).claims).toMatchObject({ tenant_id: workspace.tenant_id });
    expect((await call(other, "GET", "/users?limit=100")).body.data).toContainEqual(
      expect.objectContaining({ email, user_id: invited.body.user_id, has_grant: false }),
    );
  });

  test("an external provider that no longer vouches for an address makes no platform administrator", async () => {
    const { email, sub } = stack.demo?.platform_admin ?? { email: "", sub: "" };
    const client = new FederatedClient(stack);
    expect(await signIn(client, email)).toMatchObject({ sub, claims: { platform_role: "platform_admin" } });
    const dropped = (await client.signIn({ email, isVouchedFor: false })) as SignedIn;
    expect([dropped.sub, dropped.claims.platform_role]).toEqual([sub, undefined]);
    expect(await signIn(client, email)).toMatchObject({ sub, claims: { platform_role: "platform_admin" } });
  });

  test("a member from an external provider has one active workspace for each app client, and a switch is in the next token", async () => {
    const email = "fay@federation.example";
    const fay = await signUp(stack, email);
    const home = await openWorkspace(stack, fay, "Fay at home");
    await invite(email);
    await accept(fay);
    const [console, helper] = [new FederatedClient(stack), new FederatedClient(stack, "tokenHelper")];
    const atConsole = await signIn(console, email);
    const atHelper = await signIn(helper, email);
    expect([atConsole, atHelper].map(({ sub, claims }) => [sub, claims.tenant_id])).toEqual([
      [fay.sub, home.tenant_id],
      [fay.sub, home.tenant_id],
    ]);
    expect((await call(fay, "POST", `/tenants/${workspace.tenant_id}/activate`)).status).toBe(200);
    expect((await console.refresh(atConsole)).claims).toMatchObject({
      tenant_id: workspace.tenant_id,
      tenant_role: "developer",
    });
    expect((await helper.refresh(atHelper)).claims).toMatchObject({ tenant_id: home.tenant_id, tenant_role: "owner" });
    const chosen = await call(await helperToken(stack, fay), "POST", `/tenants/${workspace.tenant_id}/activate`);
    expect(chosen.status).toBe(200);
    expect((await helper.signIn(vouched(email))) as SignedIn).toMatchObject({
      claims: { tenant_id: workspace.tenant_id },
    });
  });

  test("an outage of the store during a refresh gives no token and says so; the same refresh token works afterwards", async () => {
    const client = new FederatedClient(stack);
    const signedIn = (await client.signIn(vouched("gil@federation.example"))) as SignedIn;
    const failing = "The platform cannot sign you in right now, try again";
    for (const operation of ["Query", "BatchGetItem"]) {
      stack.faults.put([{ service: "dynamodb", operation, when: "before", kind: "error", times: 10 }]);
      expect(await client.signIn(vouched("gil@federation.example"))).toMatch(failing);
      await expect(client.refresh(signedIn)).rejects.toMatchObject({ error: "invalid_request" });
      stack.faults.clear();
    }
    expect((await client.refresh(signedIn)).sub).toBe(signedIn.sub);
  });
});
