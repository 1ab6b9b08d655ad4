import { expect, test } from "@jest/globals";
import { credentialsIn } from "../../../domain/skills/credential-shape.ts";

const letters = "abcdefghijABCDEFGHIJ0123456789klmnop";

test.each([
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----"],
  ["a private key", "-----BEGIN PRIVATE KEY-----"],
  ["a private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----"],
  ["an AWS access key", `AKIA${"Q7".repeat(8)}`],
  ["a GitHub token", `ghp_${letters}`],
  ["a GitLab token", `glpat-${letters.slice(0, 20)}`],
  ["a Slack token", `xoxb-${letters}`],
  ["a key of a model vendor", `sk-ant-${letters}`],
  ["a Stripe key", `sk_live_${letters.slice(0, 24)}`],
  ["a Google API key", `AIza${letters.slice(0, 35)}`],
  ["an npm token", `npm_${letters}`],
  ["an API key of this platform", `ar_live_Fhw8mUKAYADN_${letters}`],
  ["a signed token", `eyJ${letters}.eyJ${letters}.${letters}`],
])("%s in a file is found with its line", (name, text) => {
  expect(credentialsIn(`first\nkey = "${text}"\n`)).toEqual([{ name, line: 2 }]);
});

test.each([
  "AKIAIOSFODNN7EXAMPLE",
  "-----BEGIN PUBLIC KEY-----",
  "-----BEGIN CERTIFICATE-----",
  "sk-learn and sk-image",
  "$JIRA_TOKEN",
  "ghp_short",
])("%s does not look like a credential", (text) => {
  expect(credentialsIn(text)).toEqual([]);
});
