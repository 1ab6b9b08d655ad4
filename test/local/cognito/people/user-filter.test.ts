import { expect, test } from "@jest/globals";
import { userFilter } from "../../../../local/cognito/people/user-filter.ts";
import type { User } from "../../../../local/cognito/people/users.ts";
import { readPool } from "../../../../local/cognito/settings.ts";
import { declaredPool } from "../harness.ts";

const user: User = {
  username: "ann",
  sub: "s-1",
  status: "CONFIRMED",
  attributes: { email: "Ann@example.com", name: 'Ann "A" O\\N' },
  identities: [],
  createdByAdmin: false,
  createdAt: 0,
  modifiedAt: 0,
};

const folding = readPool(declaredPool);
const exact = readPool({ ...declaredPool, usernameConfiguration: undefined });

test.each([
  ["", true],
  ['email = "ann@example.com"', true],
  ['email="ANN@example.com"', true],
  ['email ^= "ann@"', true],
  ['email = "ann@"', false],
  ['name ^= "Ann"', true],
  ['name = "ann"', false],
  ['name = "Ann \\"A\\" O\\\\N"', true],
  ['sub = "s-1"', true],
  ['username = "ANN"', true],
  ['cognito:user_status = "CONFIRMED"', true],
  ['cognito:user_status = "UNCONFIRMED"', false],
  ['status = "Enabled"', true],
  ['phone_number = ""', false],
])("%s finds someone: %s", (filter, found) => {
  expect(userFilter(folding, filter)(user)).toBe(found);
});

test("a pool that tells the case apart does so here", () => {
  expect(userFilter(exact, 'email = "ann@example.com"')(user)).toBe(false);
  expect(userFilter(exact, 'email = "Ann@example.com"')(user)).toBe(true);
});

test.each([
  "email",
  'email > "a"',
  "email = ann",
  'custom:role = "x"',
  'constructor = "x"',
  'email = "a" or name = "b"',
])("%s is no filter", (filter) => {
  expect(() => userFilter(folding, filter)).toThrow("Error while parsing filter");
});
