import { expect, test } from "@jest/globals";
import { type Entry, Secrets } from "../../cognito/secrets.ts";
import { Store } from "../../store.ts";

function secretsAt(now: () => number) {
  const entries = new Store(":memory:").collection<Entry<string>>("secret");
  return { entries, secrets: new Secrets(entries, now) };
}

test("a stored opaque token leads to its value until it expires", () => {
  let now = 1000;
  const { secrets } = secretsAt(() => now);
  const secret = secrets.issue("value", 2000);
  expect(secrets.read(secret)?.value).toBe("value");
  expect(secrets.read("another")).toBeUndefined();
  expect(secrets.read(undefined)).toBeUndefined();
  now = 2000;
  expect(secrets.read(secret)).toBeUndefined();
});

test("a forgotten opaque token leads to no value, and a changed value keeps its expiry", () => {
  const { secrets } = secretsAt(() => 0);
  const secret = secrets.issue("value", 10);
  const entry = secrets.read(secret);
  if (entry) secrets.update(entry, "changed");
  expect(secrets.read(secret)).toMatchObject({ value: "changed", expiresAt: 10 });
  secrets.forget(secret);
  expect(secrets.read(secret)).toBeUndefined();
});

test("the store contains no opaque token, and after a restart no expired one", () => {
  const { entries, secrets } = secretsAt(() => 0);
  const secret = secrets.issue("value", 10);
  expect(JSON.stringify(entries.all())).not.toContain(secret);
  new Secrets(entries, () => 10);
  expect(entries.all()).toEqual([]);
});
