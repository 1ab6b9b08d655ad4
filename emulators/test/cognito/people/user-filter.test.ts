import { expect, test } from "@jest/globals";
import { userFilter } from "../../../cognito/people/user-filter.ts";
import type { User } from "../../../cognito/people/users.ts";

const user: User = {
  username: "ann",
  sub: "s-1",
  status: "CONFIRMED",
  attributes: { email: '"Ann\\N"@example.com' },
  identities: [],
  createdByAdmin: false,
  createdAt: 0,
  modifiedAt: 0,
};

test.each([
  ["", true],
  ['email = "\\"ann\\\\n\\"@example.com"', true],
  ['email="ann"', false],
  ['sub = "s-1"', true],
  ['sub = "S-1"', false],
  ['cognito:user_status = "CONFIRMED"', true],
  ['cognito:user_status = "UNCONFIRMED"', false],
])("the filter of people %s matches a person: %s", (filter, found) => {
  expect(userFilter(filter)(user)).toBe(found);
});

test.each([
  "email",
  'email ^= "a"',
  "email = ann",
  'custom:role = "x"',
  'constructor = "x"',
  'email = "a" or sub = "b"',
])("%s is refused as a filter of people", (filter) => {
  expect(() => userFilter(filter)).toThrow("Error while parsing filter");
});
