// What a finance department can do with public answers alone: tell invoices apart, and derive each line to the cent.
import { describe, expect, test } from "@jest/globals";
import { nextMonth } from "../../../domain/kernel/period.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import {
  type BilledWorkspace,
  closeMonth,
  openBilled,
  passHours,
  told,
  use,
} from "../../support/billing/billed-workspace.ts";
import { ask } from "../../support/proxy-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read into it
type Answer = any;
type Get = (path: string) => Promise<Answer>;

/** Adds amounts of decimal USD without what binary fractions lose. */
const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, one) => sum + Math.round(one * 1e9), 0) / 1e9;
const floored = (usd: number, decimals: number) =>
  Math.floor(Math.round(usd * 1e9) / 10 ** (9 - decimals)) / 10 ** decimals;

/**
 * What the workspace's invoices must bill, as somebody computes it who has these answers and nothing else: by month, the days' usage
 * at list price less what free credit paid, times the month's markup; of all months so far, less the invoices before.
 */
async function derived(get: Get, months: readonly string[]): Promise<Record<string, number>> {
  const lines: Record<string, number> = {};
  let [billed, invoiced] = [0, 0];
  for (const month of months) {
    const [from, to] = [`${month}-01`, new Date(nextMonth(Date.parse(`${month}-01`))).toISOString().slice(0, 10)];
    const { data, complete, open_since } = await get(`/v1/usage?from=${from}&to=${to}&group_by=day,caller,model`);
    expect([complete, open_since]).toEqual([true, undefined]);
    const { markup, ...figures } = (await get(`/v1/billing?month=${month}`)).month;
    const of = (name: string) => sumOf(data.map((row: Answer) => row[name]));
    const due = sumOf([of("billable_cost_usd"), -of("credit_usd")]);
    billed = sumOf([billed, Number((due * markup).toFixed(9))]);
    const line = floored(sumOf([floored(billed, 6), -invoiced]), 6);
    lines[month] = line;
    invoiced = sumOf([invoiced, line]);
    // Each figure of the statement is a sum of the rows, and they add up.
    expect(figures.list_price_usd).toBe(of("billable_cost_usd"));
    expect(figures.credit_usd).toBe(of("credit_usd"));
    expect(sumOf([figures.settled_usd, figures.estimated_usd])).toBe(figures.list_price_usd);
    expect(figures.settled_usd).toBe(sumOf([of("cost_usd"), -of("estimated_cost_usd")]));
    expect(figures.billed_usd).toBeCloseTo(of("billed_usd"), 6);
    expect(figures.billed_usd).toBeCloseTo(due * markup, 8);
  }
  return lines;
}

export function financeSuite(running: () => Stack, card: Record<string, string>): void {
  const api = async (owner: Person, method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${await consoleToken(running(), owner)}`,
      "content-type": "application/json",
    };
    const response = await fetch(running().at("api") + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect({ path, status: response.status, text: response.ok ? "" : text }).toMatchObject({ text: "" });
    return response.headers.get("content-type")?.startsWith("text/csv") ? text : JSON.parse(text);
  };

  /** A stream that breaks: nobody hears what it cost. */
  async function cut({ slug, key }: BilledWorkspace): Promise<void> {
    running().bedrock.fail({ error: "break", after: 8 });
    await (await ask(running(), { max_tokens: 32_000 }, { slug, key })).text();
    await settled(running());
  }

  describe("a stranger", () => {
    test("a stranger can compute each line of an invoice to the cent from public figures, over a month's end, with free credit, markup and an estimated call", async () => {
      const stack = running();
      const owner = await signUp(stack, "books@finance.example");
      const [first, second] = [await openBilled(stack, owner, "Größe & Co"), await openBilled(stack, owner, "Zweite")];
      await api(owner, "POST", `/v1/tenants/${first.tenant_id}/activate`);
      const { url } = await api(owner, "POST", "/v1/billing/setup");
      const form = { ...card, company: "Größe & Co KG", tax_id: "DE123456789" };
      await fetch(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" });
      await told(stack);
      const contact = { purchase_order: "PO-2026-117", billing_emails: ["books@finance.example"] };
      await api(owner, "PATCH", "/v1/billing", contact);

      const months = [new Date(stack.clock.now()).toISOString().slice(0, 7)];
      stack.bedrock.configure({ outputTokens: 30_003, tokensPerEvent: 10_000 });
      for (let call = 0; call < 3; call++) expect(await use(stack, first, 32_000)).toBe(200);
      expect(await use(stack, second, 32_000)).toBe(200);
      await cut(first);
      // While the hour is open, the figures say what its closing will make of them.
      const open = (await api(owner, "GET", "/v1/billing")).month;
      await passHours(stack, 2);
      expect((await api(owner, "GET", "/v1/billing")).month).toEqual(open);
      expect([open.credit_usd > 0, open.estimated_usd > 0]).toEqual([true, true]);
      // In the month's last hour, and in the next month's first one.
      stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() - 1_800_000);
      expect(await use(stack, first, 32_000)).toBe(200);
      stack.clock.advance(1_900_000);
      expect(await use(stack, first, 32_000)).toBe(200);
      // The run of the next quarter of an hour keeps the invoice a draft.
      await passHours(stack, 1, 900_000);
      await passHours(stack, 2);
      months.push(new Date(stack.clock.now()).toISOString().slice(0, 7));
      await closeMonth(stack);
      stack.clock.advance(nextMonth(stack.clock.now()) - stack.clock.now() + 600_000);
      await passHours(stack, 2);
      await closeMonth(stack);

      const get: Get = (path) => api(owner, "GET", path);
      const lines = await derived(get, months);
      const { data } = await get("/v1/billing/invoices");
      const ofFirst = data.filter((one: Answer) => one.tenant_id === first.tenant_id && months.includes(one.month));
      expect(Object.fromEntries(ofFirst.map((one: Answer) => [one.month, one.usage_usd]))).toEqual(lines);
      expect(Object.values(lines).every((line) => line > 0)).toBe(true);
      for (const { usage_usd, subtotal, tax, total } of ofFirst) {
        expect(subtotal).toBe(Math.round(usage_usd * 100) / 100);
        expect(sumOf([subtotal, tax])).toBe(total);
      }
      // The other workspace's invoices are told apart, and each has its page, PDF and receipt.
      expect(new Set(data.map((one: Answer) => one.workspace))).toEqual(
        new Set(["Größe & Co (grosse-co)", "Zweite (zweite)"]),
      );
      const [paid] = ofFirst.filter((one: Answer) => one.paid > 0);
      expect(paid).toMatchObject({ status: "paid", purchase_order: contact.purchase_order, due: 0 });
      const page = await (await fetch(paid.url)).text();
      for (const part of ["Größe &amp; Co KG", "DE123456789", "PO-2026-117"]) expect(page).toContain(part);
      for (const link of [paid.pdf_url, paid.receipt_url]) expect((await fetch(link)).status).toBe(200);
      const csv = (await get("/v1/billing/invoices?format=csv")).split("\r\n");
      expect(csv.filter((line: string) => /^in_/.test(line))).toHaveLength(data.length);
      expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
    });
  });
}
