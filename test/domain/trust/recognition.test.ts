import { expect, test } from "@jest/globals";
import { type LeftDebt, Recognition, type RecognitionStore, sameAddress } from "../../../domain/trust/recognition.ts";
import { auditEntry } from "../../../domain/workspace/audit.ts";

const entry = auditEntry(
  { tenant_id: "platform", actor: "payments", action: "billing.debt_left", target: "ada" },
  { id: "e1", now: 0 },
);

function world() {
  const debts = new Map<string, LeftDebt[]>();
  const shared: [string, readonly string[]][] = [];
  const store: RecognitionStore = {
    debts: async (marks) => marks.flatMap((mark) => debts.get(mark) ?? []).slice(0, 1),
    leave: async (marks, debt) => {
      for (const mark of marks) debts.set(mark, [debt]);
      return true;
    },
    share: async (sub, cards) => void shared.push([sub, cards]),
    unshare: async () => {},
  };
  return { debts, shared, recognition: new Recognition({ key: "a key of this stack", store }) };
}

const owner = { ownerSub: "bea", customerId: "cus_2", email: "bea@acme.example", fingerprints: [] };

test("different spellings of one mailbox count as the same e-mail address", () => {
  expect(
    ["Ada@Acme.example", " ada+1@acme.example", "a.d.a@gmail.com", "ada+x@googlemail.com"].map(sameAddress),
  ).toEqual(["ada@acme.example", "ada@acme.example", "ada@gmail.com", "ada@gmail.com"]);
  expect(sameAddress("a.da@acme.example")).toBe("a.da@acme.example");
});

test.each([
  ["the same address", { email: "ADA+2@acme.example", fingerprints: [] }, 900],
  ["the same card", { email: "new@acme.example", fingerprints: ["fp_1"] }, 900],
  ["a card that was removed since", { email: "new@acme.example", fingerprints: ["fp_0"] }, 900],
  ["neither", { email: "new@acme.example", fingerprints: ["fp_2"] }, 0],
])("an owner who left a debt is recognized by %s", async (_, known, owed) => {
  const { recognition } = world();
  const { cards } = await recognition.of({ ...owner, fingerprints: ["fp_0"] }, async () => undefined);
  const left = { email: "ada@acme.example", fingerprints: ["fp_1"], cards };
  await recognition.leave(left, { customerId: "cus_1", cents: 900 }, entry);
  expect((await recognition.of({ ...owner, ...known }, async () => undefined)).owedCents).toBe(owed);
});

test("a debt is reduced by what people have settled at the payment provider, and an owner's present customer owes none", async () => {
  const { recognition } = world();
  await recognition.leave(owner, { customerId: "cus_1", cents: 900 }, entry);
  const owed = async (now: number | undefined, customerId = "cus_2") =>
    (await recognition.of({ ...owner, customerId }, async () => now)).owedCents;
  expect([await owed(undefined), await owed(400), await owed(0), await owed(2_000), await owed(900, "cus_1")]).toEqual([
    900, 400, 0, 900, 0,
  ]);
});

test("a new card is stored once, without an address or a fingerprint", async () => {
  const { recognition, shared, debts } = world();
  const first = await recognition.of({ ...owner, fingerprints: ["fp_1"] }, async () => 0);
  const again = await recognition.of({ ...owner, fingerprints: [], cards: first.cards }, async () => 0);
  expect([again.cards, shared.length]).toEqual([first.cards, 1]);
  await recognition.leave({ ...owner, fingerprints: ["fp_1"] }, { customerId: "cus_2", cents: 1 }, entry);
  expect(JSON.stringify([shared, [...debts]])).not.toMatch(/acme|fp_1/);
});
