// What must not compile where a body's fields name who may set them. Nothing here runs.
import * as z from "zod";
import { fields } from "../../domain/kernel/validation.ts";
import { UseCaseRule, writtenBy } from "../../handlers/control/routing/writers.ts";

const limits = fields({ budget: z.number(), region: z.string().optional() });
const thing = fields({
  name: z.string(),
  kind: z.enum(["small", "large"]).default("small"),
  limits: limits.nullable().optional(),
  tags: z.array(fields({ text: z.string() })),
  env: z.record(z.string(), z.string()),
});
const rule = new UseCaseRule(fields, "whoever made it");
const each = { name: "caller", kind: "caller", limits: "owner", tags: rule, env: "caller" } as const;

writtenBy(thing, "owner");
writtenBy(thing, each);
writtenBy(thing, { ...each, limits: { budget: "owner", region: "caller" } });
writtenBy(thing, { ...each, kind: { small: "caller", large: "owner" } });

// @ts-expect-error a field without a writer
writtenBy(thing, { name: "caller", kind: "caller", limits: "owner", tags: "caller" });

// @ts-expect-error a field of a group without one
writtenBy(thing, { ...each, limits: { budget: "owner" } });

// @ts-expect-error a value of an enumeration without one
writtenBy(thing, { ...each, kind: { small: "caller" } });

// @ts-expect-error a field that the body does not have
writtenBy(thing, { ...each, other: "owner" });

// @ts-expect-error a writer that does not exist
writtenBy(thing, { ...each, name: "developer" });

// @ts-expect-error entries of a list have one writer together
writtenBy(thing, { ...each, tags: { text: "owner" } });

// @ts-expect-error entries of a record have one writer together
writtenBy(thing, { ...each, env: { A: "owner" } });

// @ts-expect-error a rule without the function that enforces it
new UseCaseRule("somewhere", "the owner");
