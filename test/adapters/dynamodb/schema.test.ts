import { expect, test } from "@jest/globals";
import { index, keys, listings, records, signInAttributes, table } from "../../../adapters/dynamodb/schema.ts";

test.each([
  ["kinds of records", records],
  ["listings of the index", listings],
])("no prefix of the %s is the beginning of another: rights to one would be rights to both", (_, kinds) => {
  const prefixes = Object.values<string>(kinds);
  const beginnings = prefixes.flatMap((prefix, place) =>
    prefixes.filter((other, otherPlace) => place !== otherPlace && other.startsWith(prefix)),
  );
  expect(beginnings).toEqual([]);
});

test("every prefix ends where an id begins, and has nothing that IAM takes for a pattern", () => {
  for (const prefix of [...Object.values(records), ...Object.values(listings)]) expect(prefix).toMatch(/^[A-Z]+#$/);
});

test("the specification's own keys are as it writes them", () => {
  expect(keys.profile("ann").pk).toBe("USER#ann");
  expect(keys.membership("ann", "t1").pk).toBe("USER#ann");
  expect(keys.activeTenant("ann", "app").pk).toBe("USER#ann");
  expect(index.slug("acme").gsi1_pk).toBe("SLUG#acme");
});

test("a sign-in names the table's keys, and never whose member a person is or as what", () => {
  const { partitionKey, sortKey, index: gsi } = table;
  expect(signInAttributes).toEqual(expect.arrayContaining([partitionKey, sortKey, gsi.partitionKey, gsi.sortKey]));
  for (const name of ["tenant_id", "tenant_role"]) expect(signInAttributes).not.toContain(name);
});
