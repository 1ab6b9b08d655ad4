// A workspace of 2,000 people with 5,000 keys: every list shows its first page soon, goes on by pages, and filters over all rows.

import { apiKeyRecord } from "../../../adapters/dynamodb/keys/api-key.record.ts";
import { itemOf } from "../../../adapters/dynamodb/keys/key-record.ts";
import { membershipRecord, profileRecord } from "../../../adapters/dynamodb/people/user.record.ts";
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";
import { put } from "../table.ts";

const [people, perPerson, idle] = [2_000, 2.5, 3];
const dayMs = 86_400_000;

export async function many(stage: Stage): Promise<string[]> {
  const owner = await stage.owner();
  const { page, tenantId } = owner;
  await fill(stage, tenantId);
  const problems: string[] = [];
  for (const path of ["/", "/usage?by=caller", "/keys", "/people", "/audit"]) {
    const started = performance.now();
    await page.goto(`${stage.console}${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForSelector(".skeleton", { state: "detached" });
    console.log(`  ${path.padEnd(16)} stands after ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  }
  await page.goto(`${stage.console}/people`);
  const rows = page.getByRole("rowheader");
  await rows.nth(49).waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await rows.nth(99).waitFor();
  problems.push(...(await inspect(page, "many-people")));

  await page.goto(`${stage.console}/keys`);
  await page.getByRole("group", { name: "Scrollable table" }).first().getByRole("rowheader").nth(49).waitFor();
  // The idle ones are the oldest of all, on the last page of the whole list.
  await page.getByLabel("Only those that need care").check();
  await page.getByRole("rowheader", { name: "Idle 0" }).waitFor();
  const found = await page.getByRole("rowheader", { name: /^Idle/ }).count();
  if (found !== idle) throw new Error(`${found} of ${idle} keys that need care are found`);
  await page.getByLabel("Only those that need care").uncheck();
  return problems;
}

/** Each key ends, and was made this month, but for the idle ones. */
async function fill({ stack }: Stage, tenant_id: string): Promise<void> {
  const now = stack.clock.now();
  const iso = (time: number) => new Date(time).toISOString();
  for (let person = 0; person < people; person++) {
    const sub = `00000000-0000-4000-8000-${String(person).padStart(12, "0")}`;
    const created_at = iso(now - dayMs - person);
    const member = { sub, tenant_id, tenant_role: "developer", status: "active", created_at, activated_at: created_at };
    await put(stack, {
      ...membershipRecord.key({ sub, tenant_id }),
      ...membershipRecord.indexKey({ tenant_id, created_at, sub }),
      ...member,
    });
    await put(stack, {
      ...profileRecord.key({ sub }),
      ...profileRecord.indexKey({ email: `p${person}@many.example` }),
      sub,
      email: `p${person}@many.example`,
    });
  }
  for (let at = 0; at < people * perPerson; at++) {
    const isIdle = at < idle;
    const key: ApiKey = {
      ...{ key_id: `many${String(at).padStart(8, "0")}`, tenant_id, name: isIdle ? `Idle ${at}` : `Key ${at}` },
      ...{ mode: "live", hash: "none", last4: "abcd", role: "developer", scope: "proxy:invoke", status: "active" },
      caller_id: `00000000-0000-4000-8000-${String(at % people).padStart(12, "0")}`,
      created_by: "somebody",
      created_at: iso(now - (isIdle ? 100 : 5) * dayMs - at),
      expires_at: iso(now + 60 * dayMs),
      version: 1,
    };
    await put(stack, { ...apiKeyRecord.key({ key_id: key.key_id }), ...itemOf(key) });
  }
}
