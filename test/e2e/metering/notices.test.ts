// What is mailed of caps, budgets and free credit, through the local stack: who gets it, once, whatever fails in between.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { tenantProgressRecord } from "../../../adapters/dynamodb/ledger/metering-progress.record.ts";
import { budgetNoticeRecord, capNoticeRecord } from "../../../adapters/dynamodb/notices/notice.record.ts";
import { formatUsd, parseUsd } from "../../../domain/kernel/money.ts";
import { monthOf, nextMonth } from "../../../domain/kernel/period.ts";
import { timeOf } from "../../../domain/mails/words.ts";
import { maxNotices } from "../../../domain/notices/due-notices.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { addMember, addPaymentMethod, callControlPlane, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, runMeter, settled, spendingOf } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";
import { few, longTest } from "../../support/sizes.ts";

let stack: Stack;
let workspaces = 0;

beforeAll(async () => {
  stack = await startSeeded();
});
afterEach(() => stack.faults.clear());
afterAll(() => stack.stop());

const limits = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1_000 };

/** A new workspace, its owner and how to change and to use it. */
async function open(name = "Notices", { pays = true } = {}) {
  workspaces += 1;
  const owner = await signUp(stack, `owner${workspaces}@notices.example`);
  const { tenant_id, slug } = await openWorkspace(stack, owner, `${name} ${workspaces}`);
  if (pays) await addPaymentMethod(stack, owner);
  const manage = async (method: string, path: string, body: object) =>
    callControlPlane(stack, await consoleToken(stack, owner), method, path, body);
  const mails = (to = owner.email) => stack.mailbox.mails(to).filter(({ subject }) => subject.includes("% of"));
  return {
    owner,
    tenant_id,
    slug,
    mails,
    /** The percentages, in the order of their mails. */
    told: (to?: string) => mails(to).map(({ subject }) => Number.parseInt(subject, 10)),
    setCap: (nanoUsd: number) =>
      manage("PATCH", `/v1/tenants/${tenant_id}`, { monthly_cap_usd: Number(formatUsd(nanoUsd)) }),
    async account(grant: object = {}) {
      const body = { name: "CI", kind: "service_account", grant: { ...limits, ...grant } };
      return (await manage("POST", "/v1/keys", body)) as { key: string; key_id: string; caller_id: string };
    },
    setBudget: (keyId: string, nanoUsd: number) =>
      manage("PATCH", `/v1/keys/${keyId}`, { grant: { ...limits, monthly_budget_usd: Number(formatUsd(nanoUsd)) } }),
    grant: (sub: string, nanoUsd: number) =>
      manage("PUT", `/v1/grants/${sub}`, { ...limits, monthly_budget_usd: Number(formatUsd(nanoUsd)) }),
    async developer(): Promise<Person> {
      const person = await signUp(stack, `dev${workspaces}@notices.example`);
      await addMember(stack, tenant_id, person);
      return person;
    },
    async call(key: string): Promise<number> {
      const response = await ask(stack, { max_tokens: 100 }, { slug, key });
      await response.text();
      await settled(stack);
      return response.status;
    },
  };
}

type Workspace = Awaited<ReturnType<typeof open>>;

const spent = async ({ tenant_id }: Workspace, callerId: string) =>
  (await spendingOf(stack, callerId, tenant_id)).spent;

/** A limit of which so much is this percentage, rounded so that it is reached. */
const limitAt = (percent: number, used: number) => Math.floor((used * 100) / percent);

const capNotice = ({ tenant_id }: Workspace) =>
  itemAt(stack, capNoticeRecord.key({ tenant_id, month: monthOf(stack.clock.now()) }));

describe("a workspace's cap", () => {
  test("a notice about a workspace's cap is mailed to the owner at 50, 80 and 100 %, once each, and again in the next month", async () => {
    const workspace = await open();
    const { key, caller_id } = await workspace.account();
    expect(await workspace.call(key)).toBe(200);
    const used = await spent(workspace, caller_id);
    for (const [percent, told] of [
      [49, []],
      [55, [50]],
      [80, [50, 80]],
      [85, [50, 80]],
      [100, [50, 80, 100]],
      [120, [50, 80, 100]],
    ] as const) {
      await workspace.setCap(limitAt(percent, used));
      await runMeter(stack);
      expect([percent, workspace.told()]).toEqual([percent, told]);
    }
    stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + 60_000);
    await runMeter(stack);
    expect(workspace.told()).toHaveLength(3);
    await workspace.setCap(parseUsd(9_000_000));
    stack.clock.advance(61_000);
    expect(await workspace.call(key)).toBe(200);
    await workspace.setCap(limitAt(60, await spent(workspace, caller_id)));
    await runMeter(stack);
    expect(workspace.told()).toEqual([50, 80, 100, 50]);
  });

  test("usage that jumps from 40 to 100 % of a cap sends one mail with all facts, in which an address in the workspace's name is no link", async () => {
    const workspace = await open("https://evil.example/login");
    const { key, caller_id } = await workspace.account();
    await workspace.call(key);
    const used = await spent(workspace, caller_id);
    await workspace.setCap(limitAt(40, used));
    await runMeter(stack);
    await workspace.setCap(limitAt(100, used));
    await runMeter(stack);
    const [mail, ...others] = workspace.mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe(`100 % of the workspace's monthly cap is used (${workspace.slug})`);
    const reset = timeOf(nextMonth(stack.clock.now()));
    for (const said of [
      `${formatUsd(used)} USD of ${formatUsd(used)} USD`,
      "0.00 USD are left",
      "refused (429)",
      reset,
      `PATCH ${stack.at("api")}/v1/tenants/${workspace.tenant_id}`,
    ]) {
      expect(mail?.text).toContain(said);
    }
    expect(mail?.text).not.toMatch(/evil\.example|https:\/\/evil/);
  });

  test("after a cap was raised a notice is mailed again for each threshold that is reached again", async () => {
    const workspace = await open();
    const { key, caller_id } = await workspace.account();
    await workspace.call(key);
    const used = await spent(workspace, caller_id);
    await workspace.setCap(used);
    await runMeter(stack);
    // Raised so that half of it is used already: nothing is new.
    await workspace.setCap(limitAt(60, used));
    await runMeter(stack);
    expect(workspace.told()).toEqual([100]);
    stack.clock.advance(61_000);
    await workspace.call(key);
    await workspace.setCap(limitAt(90, await spent(workspace, caller_id)));
    await runMeter(stack);
    expect(workspace.told()).toEqual([100, 80]);
  });
});

describe("a budget", () => {
  test("a notice about a person's budget is mailed only to the person", async () => {
    const workspace = await open();
    const person = await workspace.developer();
    await workspace.grant(person.sub, parseUsd(1_000));
    const token = await helperToken(stack, person);
    expect(await workspace.call(token)).toBe(200);
    await runMeter(stack);
    expect(workspace.told(person.email)).toEqual([]);
    await workspace.grant(person.sub, limitAt(85, await spent(workspace, person.sub)));
    await runMeter(stack);
    await runMeter(stack);
    const [mail] = workspace.mails(person.email);
    expect(workspace.told(person.email)).toEqual([80]);
    expect(mail?.subject).toBe(`80 % of your monthly budget is used (${workspace.slug})`);
    expect(mail?.text).toContain("The owner of the workspace can change your budget");
    expect(workspace.told()).toEqual([]);
  });

  test("a notice about a service account's budget is mailed to the owner, by the current limits of its keys", async () => {
    const workspace = await open();
    const { key, key_id, caller_id } = await workspace.account();
    await workspace.call(key);
    await workspace.setBudget(key_id, limitAt(50, await spent(workspace, caller_id)));
    await runMeter(stack);
    expect(workspace.told()).toEqual([50]);
    expect(workspace.mails()[0]?.text).toContain(`the monthly budget of the service account ${caller_id}`);
  });

  longTest("notices about many callers' budgets are mailed a few at a time, until all are sent", async () => {
    const workspace = await open();
    const count = maxNotices + 2;
    for (let index = 0; index < count; index++) {
      const { key, key_id, caller_id } = await workspace.account();
      await workspace.call(key);
      await workspace.setBudget(key_id, limitAt(50, await spent(workspace, caller_id)));
    }
    await runMeter(stack);
    expect(workspace.told()).toHaveLength(maxNotices);
    await runMeter(stack);
    await runMeter(stack);
    expect(workspace.told()).toHaveLength(count);
  });
});

describe("the free credit", () => {
  test("a notice about the free credit is mailed to the owner once", async () => {
    const workspace = await open("Free", { pays: false });
    const { key } = await workspace.account();
    let status = 200;
    for (let calls = 0; status === 200 && calls < 200; calls++) {
      const response = await ask(
        stack,
        { max_tokens: 2_000, messages: [{ role: "user", content: "word ".repeat(1_000) }] },
        { slug: workspace.slug, key },
      );
      await response.text();
      await settled(stack);
      status = response.status;
      await runMeter(stack);
    }
    expect(status).toBe(429);
    const told = workspace.told();
    expect(told).toEqual([...new Set(told)].toSorted((one, other) => one - other));
    expect(told.at(-1)).toBe(100);
    expect(workspace.mails().at(-1)?.text).toContain("of 10000 tokens. 0 tokens are left.");
    stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + 60_000);
    await workspace.call(key);
    await runMeter(stack);
    expect(workspace.told()).toEqual(told);
  });
});

describe("nobody is mailed", () => {
  test("no notice is mailed for a workspace that was suspended before the mail was sent", async () => {
    const workspace = await open();
    const person = await workspace.developer();
    await workspace.grant(person.sub, parseUsd(1_000));
    await workspace.call(await helperToken(stack, person));
    await workspace.grant(person.sub, await spent(workspace, person.sub));
    await workspace.setCap(await spent(workspace, person.sub));
    const admin = await consoleToken(stack, stack.demo?.platform_admin as Person);
    const path = `/v1/tenants/${workspace.tenant_id}/suspend`;
    await callControlPlane(stack, admin, "POST", path, { reason: "a test" });
    await runMeter(stack);
    expect([workspace.told(), workspace.told(person.email)]).toEqual([[], []]);
    const month = monthOf(stack.clock.now());
    expect(await capNotice(workspace)).toMatchObject({ state: "dropped" });
    expect(await itemAt(stack, budgetNoticeRecord.key({ ...workspace, month, caller_id: person.sub }))).toMatchObject({
      state: "dropped",
    });
  });

  longTest(
    "a stack without a sender has no function that mails notices, and its meter does not look for any",
    async () => {
      const silent = await startSeeded({ config: { "archway:mail": undefined } });
      try {
        const { variables } = meterOf(silent);
        expect(variables).not.toHaveProperty("NOTICES_QUEUE_URL");
        expect(silent.program.resources.ofType("aws:lambda/function:Function").map(({ name }) => name)).not.toContain(
          "notify",
        );
        await (await ask(silent, { max_tokens: 100 })).text();
        await settled(silent);
        await runMeter(silent);
        const batches = silent.calls
          .all()
          .filter(({ function: name, operation }) => name === "meter-local" && operation === "BatchGetItem");
        expect(batches).toHaveLength(1);
      } finally {
        await silent.stop();
      }
    },
  );
});

/** The meter's environment, as it is declared. */
function meterOf({ program }: Stack): { variables: Record<string, string> } {
  const [meter] = program.resources.ofType("aws:lambda/function:Function").filter(({ name }) => name === "meter");
  return meter?.inputs.environment;
}

describe("when something fails", () => {
  /** Longer than a message that failed stays hidden. */
  const hidden = 181_000;

  async function reachedCap(percent = 55) {
    const workspace = await open();
    const { key, caller_id } = await workspace.account();
    await workspace.call(key);
    await workspace.setCap(limitAt(percent, await spent(workspace, caller_id)));
    return workspace;
  }

  test("a notice whose mail SES refuses stays due, and is sent once SES accepts it", async () => {
    const workspace = await reachedCap();
    stack.faults.put([{ service: "ses", operation: "SendEmail", when: "before", kind: "throttle" }]);
    await runMeter(stack);
    expect(workspace.told()).toEqual([]);
    expect(await capNotice(workspace)).toMatchObject({ state: "due", threshold: 50 });
    stack.clock.advance(hidden);
    await stack.queuePoller.idle();
    expect(workspace.told()).toEqual([50]);
    expect(await capNotice(workspace)).toMatchObject({ state: "sent" });
  });

  test.each(few(1, ["error", "cut"] as const))(
    "a notice whose mail has no answer (%s) is not sent twice, and becomes a dead letter",
    async (kind) => {
      const workspace = await reachedCap();
      stack.faults.put([{ service: "ses", operation: "SendEmail", when: "after", kind }]);
      await runMeter(stack);
      for (let tries = 0; tries < 6; tries++) {
        stack.clock.advance(hidden);
        await stack.queuePoller.idle();
      }
      await runMeter(stack);
      expect(workspace.told()).toEqual([50]);
      expect(await capNotice(workspace)).toMatchObject({ state: "unknown" });
      const letters = stack.queues.byName("notices-dead-letters-local").messages();
      expect(letters.map(({ body }) => JSON.parse(body))).toContainEqual({
        kind: "cap",
        tenant_id: workspace.tenant_id,
        month: monthOf(stack.clock.now()),
      });
    },
  );

  test("a function that dies while it mails a notice causes neither a second mail nor a lost notice", async () => {
    const workspace = await reachedCap();
    stack.faults.put([{ service: "ses", operation: "SendEmail", when: "after", kind: "hang" }]);
    const running = runMeter(stack);
    while (workspace.told().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await stack.functions.byName("notify-local").kill();
    await running;
    expect(await capNotice(workspace)).toMatchObject({ state: "sending" });
    stack.faults.clear();
    stack.clock.advance(hidden);
    await stack.queuePoller.idle();
    await runMeter(stack);
    expect(workspace.told()).toEqual([50]);
    expect(await capNotice(workspace)).toMatchObject({ state: "unknown" });
    expect(
      stack.logs
        .lines()
        .map(({ line }) => line)
        .join(),
    ).toContain("Nobody knows whether a notice was mailed");
  });

  test("simultaneous runs and repeated messages send one mail for a notice", async () => {
    const workspace = await reachedCap();
    await Promise.all(Array.from({ length: 4 }, () => runMeter(stack)));
    const subject = { kind: "cap", tenant_id: workspace.tenant_id, month: monthOf(stack.clock.now()) };
    const Records = Array.from({ length: 3 }, (_, index) => ({
      messageId: `m${index}`,
      body: JSON.stringify(subject),
      attributes: { ApproximateReceiveCount: "1" },
    }));
    await stack.functions.byName("notify-local").invoke({ Records });
    expect(workspace.told()).toEqual([50]);
  });

  test("a notice whose message never reached the queue is found again, and mailed once", async () => {
    const workspace = await reachedCap();
    stack.faults.put([
      { service: "sqs", operation: "SendMessageBatch", match: "notices", when: "before", kind: "error", times: 20 },
    ]);
    await runMeter(stack);
    stack.faults.clear();
    await runMeter(stack);
    expect(workspace.told()).toEqual([]);
    stack.clock.advance(3_601_000);
    await runMeter(stack);
    await runMeter(stack);
    expect(workspace.told()).toEqual([50]);
  });

  test("hours are closed even if notices fail", async () => {
    const workspace = await reachedCap();
    stack.faults.put([
      { service: "dynamodb", operation: "BatchGetItem", match: "NOTICE#", when: "before", kind: "error", times: 50 },
      { service: "dynamodb", operation: "BatchGetItem", match: "CREDIT#", when: "before", kind: "error", times: 50 },
    ]);
    const month = monthOf(stack.clock.now());
    stack.clock.advance(2 * 3_600_000);
    await runMeter(stack);
    expect(workspace.told()).toEqual([]);
    const progress = await itemAt(stack, tenantProgressRecord.key({ tenant_id: workspace.tenant_id, month }));
    expect(progress?.next).toBe(new Date(stack.clock.now()).toISOString().slice(0, 13));
    expect(
      stack.logs
        .lines()
        .map(({ line }) => line)
        .join(),
    ).toContain("callers' notices could not be found");
  });
});
