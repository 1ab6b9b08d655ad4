import { expect, test } from "@jest/globals";
import { findModel, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import type { MessagesBody } from "../../../domain/messages/body.ts";
import { bridgeCount } from "../../../domain/messages/counting.ts";

const catalog = parseCatalog(catalogData);
const messages = [{ role: "user", content: "hi" }];

function requestFor(changes: object = {}, headerFlags: string[] = []) {
  const model = findModel(catalog, "claude-sonnet-4-6");
  if (!model) throw new Error("no model");
  return bridgeCount({ model: model.id, messages, ...changes } as MessagesBody, model, headerFlags);
}

function bodyFor(changes: object = {}) {
  return JSON.parse(requestFor(changes).body);
}

test("the body for counting is complete: it has max_tokens, which counting clients do not send", () => {
  expect(bodyFor()).toEqual({ max_tokens: 1, messages });
  expect(bodyFor({ max_tokens: 7 }).max_tokens).toBe(7);
});

test("the body for counting has a max_tokens above the thinking budget", () => {
  expect(bodyFor({ thinking: { type: "enabled", budget_tokens: 4_000 } }).max_tokens).toBe(4_001);
  for (const thinking of [{ type: "adaptive" }, null, "x", { budget_tokens: "many" }]) {
    expect(bodyFor({ thinking }).max_tokens).toBe(1);
  }
});

test("a count sends only flags that the model's table lists, wherever the client put them", () => {
  const header = ["token-counting-2099-01-01", "context-management-2025-06-27", "brand-new-2027-01-01"];
  const { betas } = requestFor({ anthropic_beta: ["compact-2026-01-12", "x", 5] }, header);
  expect(betas).toEqual(["context-management-2025-06-27", "compact-2026-01-12"]);
});
