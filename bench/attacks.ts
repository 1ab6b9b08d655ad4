// The processor time that hostile requests take: each is made to be costly, and is measured in the product's own code before any limit of its
// caller is read.
// `--at FOLDER` measures another checkout beside this one's figures, e.g. one of before a change.
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { at: { type: "string", default: join(import.meta.dirname, "..") } } });
const from = (path: string) => import(join(resolve(values.at), path));

const { parseMessagesBody } = await from("domain/messages/body.ts");
const { bridge } = await from("domain/messages/bridge.ts");
const { findModel, parseCatalog } = await from("domain/catalog/catalog.ts");
const model = findModel(parseCatalog((await from("domain/catalog/catalog-data.ts")).default), "claude-sonnet-5");
const { readRequest } = await from("handlers/control/routing/request.ts");

/** What the proxy takes at most (handlers/proxy/contract.ts). */
const maxBytes = 6_200_000;
const text = (fields: string) =>
  `{"model":"claude-sonnet-5","max_tokens":10,"messages":[{"role":"user","content":"hi"}],${fields}}`;
const list = (value: string, times: number) => `[${`${value},`.repeat(times - 1)}${value}]`;

const bodies: Record<string, string> = {
  "plain text, 6.1 MB": text(`"system":"${"a".repeat(6_100_000)}"`),
  "1,500,000 times 1.0": text(`"x":${list("1.0", 1_500_000)}`),
  "one 1.0 beside 3,000,000 numbers": text(`"x":[1.0,${"1,".repeat(2_999_999)}1]`),
  "2,000,000 empty objects as messages": `{"model":"claude-sonnet-5","max_tokens":10,"messages":${list("{}", 2_000_000)}}`,
  "2,000,000 empty objects as tools": text(`"tools":${list("{}", 2_000_000)}`),
  "60,000 fields": text(Array.from({ length: 60_000 }, (_, index) => `"${index}":1`).join(",")),
  "199,900 times 1.0, which passes": text(`"x":${list("1.0", 199_900)}`),
};

for (const [name, body] of Object.entries(bodies)) {
  measured(name, () => bridge(parseMessagesBody(body, { maxBytes }), model, []));
}
for (const blanks of [10_000, 30_000, 60_000]) {
  const headers = { "if-match": `"1"${" ".repeat(blanks)}x` };
  measured(`If-Match with ${blanks.toLocaleString("en")} blanks`, () =>
    readRequest(
      { headers, requestContext: { http: { method: "PATCH" } } },
      { method: "PATCH", path: "/v1/tenants/my" },
    ),
  );
}
await answeredInTenMinutes().catch(() => console.log("usage is not bounded in this checkout"));

function measured(name: string, act: () => unknown): void {
  const before = process.cpuUsage();
  const outcome = outcomeOf(act);
  const { user, system } = process.cpuUsage(before);
  console.log(`${name.padEnd(40)} ${((user + system) / 1e6).toFixed(2).padStart(6)} s  ${outcome}`);
}

function outcomeOf(act: () => unknown): string {
  try {
    act();
    return "taken";
  } catch (error) {
    return `refused: ${(error as { code?: string }).code}`;
  }
}

/** Of a person who asks each second for an answer over 199,500 rows, in simulated time. */
async function answeredInTenMinutes(): Promise<void> {
  const { withinAllowance } = await from("domain/ledger/usage-allowance.ts");
  let [now, paidUntil, answered] = [0, 0, 0];
  const allowances = {
    async take(_purse: unknown, milliseconds: number, most: number) {
      const next = Math.max(paidUntil, now) + milliseconds;
      if (next > now + most) return false;
      paidUntil = next;
      return true;
    },
    async correct(_purse: unknown, milliseconds: number) {
      paidUntil += milliseconds;
    },
  };
  for (; now < 600_000; now += 1_000) {
    const answer = async () => ({ rowsRead: 199_500 });
    await withinAllowance(allowances, "ann", answer).then(
      () => answered++,
      () => {},
    );
  }
  console.log(`${"usage over 199,500 rows, asked each second".padEnd(40)} ${answered} answers in ten minutes`);
}
