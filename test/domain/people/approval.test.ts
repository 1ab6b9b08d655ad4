import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "@jest/globals";
import type { Mail } from "../../../domain/kernel/mail.ts";
import type { Mails } from "../../../domain/mails/tell.ts";
import { approvePerson, requireApproved, tellWaiting } from "../../../domain/people/approval.ts";
import { syncUserOnSignIn } from "../../../domain/people/sign-in.ts";
import { platformTrail } from "../../../domain/workspace/audit.ts";
import { memoryStores } from "../../support/people/memory-stores.ts";

let stores: Awaited<ReturnType<typeof memoryStores>> & Mails;
let mails: Mail[];
let problems: string[];
beforeEach(async () => {
  [mails, problems] = [[], []];
  const mailer = {
    async send(mail: Mail) {
      if (String(mail.to).startsWith("full@")) throw new Error("throttled");
      mails.push(mail);
      return "sent" as const;
    },
  };
  const log = { info: () => {}, problem: (message: string) => void problems.push(message) };
  const platform = { brand: "Archway", consoleUrl: "https://console.test" };
  stores = { ...(await memoryStores()), mailer, log, platform };
});

const signUp = (sub: string) =>
  syncUserOnSignIn(
    stores.users,
    { sub, email: `${sub}@people.test`, isVerified: true, provider: "password", linked: [], isApproved: false },
    stores.time.now,
    randomUUID,
  );
const pending = async () =>
  (await stores.approvals.pending({ limit: 10, after: undefined })).items.map(({ sub }) => sub);

test("a person who signs up is pending until an administrator approves, which the platform's audit trail records once", async () => {
  for (const sub of ["p1", "p2"]) await signUp(sub);
  expect(await pending()).toEqual(["p2", "p1"]);
  for (let time = 0; time < 2; time++) {
    expect(await approvePerson(stores, "root", "p2")).toMatchObject({ sub: "p2", approval_status: "approved" });
  }
  expect(await pending()).toEqual(["p1"]);
  const told = await stores.trail(platformTrail);
  expect(told.filter(({ action }) => action !== "user.sign_up")).toMatchObject([
    {
      actor: "root",
      actor_role: "platform_admin",
      action: "user.approve",
      target: "p2",
      before: { approval_status: "pending" },
      after: { approval_status: "approved" },
    },
  ]);
  await expect(approvePerson(stores, "root", "nobody")).rejects.toMatchObject({ code: "not_found" });
});

test("a person needs approval only if approval is manual", async () => {
  await signUp("p1");
  await requireApproved(stores.users, "automatic", "p1");
  await expect(requireApproved(stores.users, "manual", "p1")).rejects.toMatchObject({ code: "approval_pending" });
  await approvePerson(stores, "root", "p1");
  await requireApproved(stores.users, "manual", "p1");
});

test("an approved person gets one mail, and a waiting person is told to wait", async () => {
  const { profile } = await signUp("p1");
  await tellWaiting(stores, profile);
  for (let time = 0; time < 2; time++) await approvePerson(stores, "root", "p1");
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
    ["p1@people.test", "Your account at Archway waits for approval"],
    ["p1@people.test", "Your account at Archway is approved"],
  ]);
  expect(mails[1]?.text).toContain("https://console.test/onboarding");
});

test("an approval holds even if its mail fails, and an unverified address gets no mail", async () => {
  await signUp("full");
  expect(await approvePerson(stores, "root", "full")).toMatchObject({ approval_status: "approved" });
  expect([problems, await pending()]).toEqual([["approval_not_mailed"], []]);
  const { profile } = await signUp("typed");
  await tellWaiting(stores, { ...profile, email_verified: false });
  expect(mails).toEqual([]);
});
