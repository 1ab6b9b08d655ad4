import { describe, expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { stackConfig } from "../../components/config.ts";
import { ConfigError } from "../../components/config-error.ts";
import { trialCapAtListPrice } from "../../components/tenant-platform/trust-terms.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";

const zoneId = "0123456789abcdef0123456789abcdef";
const originSecret = "a-secret-of-more-than-32-characters";
const sealingSecret = "another-one-of-more-than-32-characters";

/** Only what has no default, as Pulumi hands it over: every value a string. */
const least = {
  "archway:domain": "dev.archway.example",
  "archway:cloudflareZoneId": zoneId,
  "archway:originSecret": originSecret,
  "archway:sealingSecret": sealingSecret,
};

function problemsOf(source: Record<string, string>): string[] {
  try {
    stackConfig(source);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const [, ...problems] = (error as Error).message.split("\n");
    return problems.map((problem) => problem.trim());
  }
  return [];
}

test("every key but three has a default", () => {
  expect(stackConfig(least)).toEqual({
    domain: "dev.archway.example",
    cloudflareZoneId: zoneId,
    originSecret,
    sealingSecret,
    console: {
      callbackUrls: ["https://console.dev.archway.example/callback"],
      logoutUrls: ["https://console.dev.archway.example/"],
    },
    platformAdmins: [],
    platformSupport: [],
    approval: "automatic",
    defaultRegion: "eu-central-1",
    tokenHelperCallbackUrls: [8400, 8401, 8402].map((port) => `http://localhost:${port}/callback`),
    mcpQuotas: { api_key_providers: 50, gateways: 1_000, runtimes: 1_000, app_clients: 1_000 },
    skillsCallbackUrls: [8410, 8411, 8412].map((port) => `http://localhost:${port}/callback`),
    oidcProviders: [],
    messagesEndpoint: [],
    newModels: [],
    names: {
      vendor: ["vendor"],
      sessionHeaders: ["X-Code-Session-Id"],
      regionHeaders: ["X-Platform-Region"],
      scopePrefix: "platform",
    },
    limits: {
      burst: 60,
      perMinute: 600,
      maxInFlight: 64,
      maxWaiting: 64,
      workspaceInFlight: 256,
      workspaces: 5,
      serviceAccounts: 100,
      invitationMails: 20,
    },
    brand: "Archway",
    aliases: {},
    reservedConcurrency: {},
    domainResolves: false,
    enforceFreeCredit: false,
    trialCap: 50,
    firstWeekTimes: 3,
    firstMonthTimes: 10,
    freeCreditPerDay: 100,
    ping: true,
    hostSilence: 300,
    budgetStatus: "429",
    assistantStatus: "409",
  });
});

test.each([
  ["402", "402"],
  ["429", "429"],
])("archway:budgetStatus may be %s", (text, status) => {
  expect(stackConfig({ ...least, "archway:budgetStatus": text }).budgetStatus).toBe(status);
});

test("the trial's cap is counted at list price, like budgets", () => {
  const { trialCap } = stackConfig({ ...least, "archway:trialCap": "60" });
  expect(trialCapAtListPrice({ trialCap, stripe: { secretArn: "", markup: 1.2, tax: "off" } })).toBe("50000000000");
  expect(trialCapAtListPrice({ trialCap, stripe: undefined })).toBe("60000000000");
  expect(() => stackConfig({ ...least, "archway:trialCap": "0" })).toThrow("trialCap");
});

test("a markup has at most six decimals, because bills are exact to that", () => {
  const secretArn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:archway/stripe-AbCdEf";
  const stripe = (markup: number) => ({ ...least, "archway:stripe": JSON.stringify({ secretArn, markup }) });
  expect(problemsOf(stripe(1.0000001))).toEqual(["archway:stripe.markup: must have at most six decimals"]);
  expect(problemsOf(stripe(1.000001))).toEqual([]);
});

test("archway:assistantStatus may be a status at which Claude Code stops, or the usual one", () => {
  for (const status of ["402", "403", "409", "451"])
    expect(stackConfig({ ...least, "archway:assistantStatus": status }).assistantStatus).toBe(status);
  const problem = "archway:assistantStatus: must be 402, 403, 409 or 451";
  for (const status of ["401", "404", "429"])
    expect(problemsOf({ ...least, "archway:assistantStatus": status })).toEqual([problem]);
});

test("the model host's silence may be bounded at one minute to thirteen", () => {
  for (const seconds of ["60", "800"]) {
    expect(stackConfig({ ...least, "archway:hostSilence": seconds }).hostSilence).toBe(Number(seconds));
  }
  for (const seconds of ["59", "801", "90.5", "soon"]) {
    expect(problemsOf({ ...least, "archway:hostSilence": seconds })).toHaveLength(1);
  }
});

test("archway:budgetStatus accepts no other status", () => {
  expect(problemsOf({ ...least, "archway:budgetStatus": "403" })).toEqual(["archway:budgetStatus: must be 402 or 429"]);
});

test("the name of the invocation log is the name of a log group, whichever account has the models", () => {
  const native = { ...least, "archway:messagesEndpoint": '["*"]' };
  expect(problemsOf({ ...native, "archway:invocationLogs": "/bedrock/invocations" })).toEqual([
    expect.stringMatching(/^archway:messagesEndpoint: is not possible with archway:invocationLogs/),
  ]);
  const logged = { ...least, "archway:invocationLogs": "/bedrock/invocations" };
  expect(stackConfig(logged).invocationLogs).toBe("/bedrock/invocations");
  expect(problemsOf({ ...least, "archway:invocationLogs": "arn:aws:logs" })).toEqual([
    "archway:invocationLogs: must be the name of a log group",
  ]);
  const elsewhere = { "archway:modelHost": '{"account":"222222222222","deploymentRole":"Deploy"}' };
  expect(stackConfig({ ...logged, ...elsewhere }).invocationLogs).toBe("/bedrock/invocations");
});

test("setting one part of a nested key keeps the defaults of the other parts", () => {
  const config = stackConfig({ ...least, "archway:limits": '{"perMinute":30}', "archway:names": '{"vendor":["llm"]}' });
  expect(config.limits).toMatchObject({ burst: 60, perMinute: 30, maxInFlight: 64 });
  expect(config.names).toMatchObject({ vendor: ["llm"], scopePrefix: "platform" });
});

test("the program uses the values that a stack sets", () => {
  const config = stackConfig({
    ...least,
    "archway:previousOriginSecret": "another-secret-of-more-than-32-characters",
    "archway:platformAdmins": '["Admin@Archway.example"]',
    "archway:approval": "manual",
    "archway:defaultRegion": "us-east-1",
    "archway:enforceFreeCredit": "false",
  });
  expect(config).toMatchObject({
    previousOriginSecret: "another-secret-of-more-than-32-characters",
    platformAdmins: ["admin@archway.example"],
    approval: "manual",
    defaultRegion: "us-east-1",
    enforceFreeCredit: false,
  });
});

describe("a workspace without a payment method ends with its free credit", () => {
  const secretArn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:archway/stripe-AbCdEf";
  const billing = { ...least, "archway:stripe": JSON.stringify({ secretArn }) };

  test("a workspace without a payment method stops when its free credit is used, if the platform bills and the stack does not say otherwise", () => {
    expect(stackConfig(least).enforceFreeCredit).toBe(false);
    expect(stackConfig(billing).enforceFreeCredit).toBe(true);
    expect(stackConfig({ ...billing, "archway:enforceFreeCredit": "false" }).enforceFreeCredit).toBe(false);
  });

  test("a workspace does not stop when its free credit is used, on a stack that does not bill", () => {
    expect(problemsOf({ ...least, "archway:enforceFreeCredit": "true" })).toEqual([
      "archway:enforceFreeCredit: needs archway:stripe, without which nobody can pay to go on",
    ]);
  });
});

test("the example stack file is valid", async () => {
  expect(stackConfig(await readStackConfig(localStackFile)).names.vendor).toEqual(["vendor", "anthropic"]);
});

test("the configuration is read from Pulumi by default", () => {
  pulumi.runtime.setAllConfig({ ...least, "aws:region": "eu-central-1" });
  expect(stackConfig().domain).toBe("dev.archway.example");
});

test("a zone id that consists of digits stays a string", () => {
  expect(stackConfig({ ...least, "archway:cloudflareZoneId": "1".repeat(32) }).cloudflareZoneId).toBe("1".repeat(32));
});

test("all missing keys of the configuration are reported at once", () => {
  expect(problemsOf({ "aws:region": "eu-central-1" })).toEqual([
    "archway:domain: is missing",
    "archway:cloudflareZoneId: is missing",
    "archway:originSecret: is missing",
    "archway:sealingSecret: is missing",
  ]);
});

test("missing, wrong and unknown keys are reported together, each by its name, including nested keys", () => {
  const problems = problemsOf({
    ...least,
    "archway:domain": "Dev.Archway.example",
    "archway:console": '{"callbackUrls":["http://console.example/callback"],"origins":[]}',
    "archway:limits": '{"burst":0,"perMinut":30,"maxInFlight":"64"}',
    "archway:names": '{"vendor":["a b"]}',
    "archway:approvals": "manual",
  });
  expect(problems.map((problem) => problem.split(":").slice(0, 2).join(":")).sort()).toEqual([
    "archway:approvals",
    "archway:console.callbackUrls.0",
    "archway:console.origins",
    "archway:domain",
    "archway:limits.burst",
    "archway:limits.maxInFlight",
    "archway:limits.perMinut",
    "archway:names.vendor.0",
  ]);
  expect(problems).toEqual(
    expect.arrayContaining([
      "archway:domain: must be a lower-case host name",
      "archway:console.origins: no such key",
      "archway:limits.maxInFlight: Invalid input: expected number, received string",
      "archway:limits.perMinut: no such key",
      "archway:names.vendor.0: must be 1 to 32 of a-z, 0-9 and -",
      "archway:approvals: no such key",
    ]),
  );
});

test("a configuration value of the wrong type is not reported as missing", () => {
  expect(problemsOf({ ...least, "archway:console": "https://console.archway.example" })).toEqual([
    "archway:console: Invalid input: expected object, received string",
  ]);
  expect(problemsOf({ ...least, "archway:enforceFreeCredit": "no" })).toEqual([
    "archway:enforceFreeCredit: Invalid input: expected boolean, received string",
  ]);
});

test.each([
  ["domain", "leaked value"],
  ["cloudflareZoneId", "leaked value"],
  ["originSecret", "leaked value"],
  ["previousOriginSecret", "leaked value"],
  ["sealingSecret", "leaked value"],
  ["previousSealingSecret", "leaked value"],
  ["platformAdmins", '["leaked value"]'],
  ["approval", "leaked value"],
  ["defaultRegion", "leaked value"],
  ["console", '{"callbackUrls":["leaked value"],"logoutUrls":["http://leaked value"]}'],
  ["tokenHelperCallbackUrls", '["leaked value"]'],
  ["skillsCallbackUrls", '["leaked value"]'],
  ["google", '{"clientId":"leaked value","clientSecret":"leaked value"}'],
  ["oidcProviders", '[{"name":"leaked value","clientSecret":"leaked value"}]'],
  ["names", '{"vendor":["leaked value"],"sessionHeaders":["leaked value"],"scopePrefix":"leaked value"}'],
  ["limits", '{"burst":"leaked value"}'],
  ["aliases", '{"latest":"leaked value"}'],
  ["enforceFreeCredit", "leaked value"],
  ["domainResolves", "leaked value"],
  ["reservedConcurrency", '{"triggers":"leaked value"}'],
  ["mail", '{"from":"leaked value","identityArn":"leaked value"}'],
])("a wrong %s is refused without its value", (key, value) => {
  const problems = problemsOf({ ...least, [`archway:${key}`]: value });
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.filter((problem) => !problem.startsWith(`archway:${key}`) || problem.includes("leaked"))).toEqual([]);
});

test.each([
  ["https://console.archway.example/callback", true],
  ["http://localhost:5173/callback", true],
  ["http://localhost.attacker.example/callback", false],
  ["http://console.archway.example/callback", false],
  ["javascript:alert(1)", false],
  ["console", false],
])("a callback address is checked: %s: %s", (url, accepted) => {
  const problems = problemsOf({ ...least, "archway:tokenHelperCallbackUrls": JSON.stringify([url]) });
  expect(problems.length === 0).toBe(accepted);
});

test.each([
  ["no-reply@archway.example", "archway.example", true],
  ["Archway <no-reply@archway.example>", "archway.example", true],
  ["Archway <no-reply@mail.archway.example>", "archway.example", true],
  ["no-reply@archway.example", "no-reply@archway.example", true],
  ["no-reply@archway.example", "other@archway.example", false],
  ["no-reply@archway.example", "hway.example", false],
  ["no-reply@archway.example", "mail.archway.example", false],
  ["Bögen <no-reply@archway.example>", "archway.example", false],
  ["Archway, all <no-reply@archway.example>", "archway.example", false],
  ["a@archway.example, b@archway.example", "archway.example", false],
  ["Archway <no-reply@archway.example>\r\nBcc: a@archway.example", "archway.example", false],
])("a mail sender is checked: %j by the identity of %s: %s", (from, identity, accepted) => {
  const identityArn = `arn:aws:ses:eu-central-1:000000000000:identity/${identity}`;
  const problems = problemsOf({ ...least, "archway:mail": JSON.stringify({ from, identityArn }) });
  expect(problems.length === 0).toBe(accepted);
});

describe("what AWS would refuse late, or nobody would notice", () => {
  const domainOf = (length: number) => `${"a".repeat(length - ".archway.example".length)}.archway.example`;

  test("values that AWS would refuse late are reported together with all other problems", () => {
    const problems = problemsOf({
      ...least,
      "aws:region": "eu-central-2",
      "archway:domain": domainOf(60),
      "archway:originSecret": "replace-this-on-a-deployed-stack-0000",
      "archway:approval": "sometimes",
    });
    expect(problems.map((problem) => problem.split(":").slice(0, 2).join(":")).sort()).toEqual([
      "archway:approval",
      "archway:domain",
      "archway:domain",
      "archway:originSecret",
      "aws:region",
    ]);
  });

  test("each host below the domain fits into a certificate, and the sign-in host into a pool's domain", () => {
    expect(problemsOf({ ...least, "archway:domain": domainOf(56) })).toEqual([]);
    const domain = domainOf(61);
    expect(problemsOf({ ...least, "archway:domain": domain })).toEqual([
      `archway:domain: *.proxy.${domain} would have 69 characters, and a certificate's name has 64 at the most`,
      `archway:domain: api.${domain} would have 65 characters, and a certificate's name has 64 at the most`,
      `archway:domain: auth.${domain} would have 66 characters, and a user pool's domain has 63 at the most`,
    ]);
  });

  test("a stack cannot live in a region without function URLs", () => {
    expect(problemsOf({ ...least, "aws:region": "eu-central-2" })).toEqual([
      "aws:region: eu-central-2 has no function URLs, which the proxy needs; models can still be called there",
    ]);
    expect(problemsOf({ ...least, "aws:region": "eu-central-1" })).toEqual([]);
  });

  test("the example's secrets are accepted only for localhost", () => {
    const secrets = ["originSecret", "sealingSecret"];
    const values = secrets.map((name) => [`archway:${name}`, "replace-this-on-a-deployed-stack-0000"]);
    const example = { ...least, ...Object.fromEntries(values) };
    expect(problemsOf(example)).toEqual(
      secrets.map((name) => `archway:${name}: is the example's; make your own: openssl rand -hex 32`),
    );
    expect(problemsOf({ ...example, "archway:domain": "localhost" })).toEqual([]);
  });
});

test("Pulumi prints configuration errors without a stack trace", () => {
  expect(pulumi.RunError.isInstance(new ConfigError(["archway:domain: is missing"]))).toBe(true);
});

test("a rate limit that is too high for the calls in flight is refused with the highest allowed figure", () => {
  const limited = (limits: object) => () => stackConfig({ ...least, "archway:limits": JSON.stringify(limits) });
  expect(limited({ perMinute: 3_721 })).toThrow("must be at most 3720 with 64 calls in flight (maxInFlight)");
  expect(limited({ perMinute: 3_721, maxInFlight: 32 })).not.toThrow();
});

test.each(["Archway", "Acme & Söhne (EU)", "3M"])("the platform's name in mails may be %j", (brand) => {
  expect(stackConfig({ ...least, "archway:brand": brand }).brand).toBe(brand);
});

test.each(["", "acme.example", "https://acme", "a\nb", "<b>", "x".repeat(41)])(
  "the platform's name cannot be %j, which a mail program would show as a link, markup or a second line",
  (brand) => {
    expect(problemsOf({ ...least, "archway:brand": brand })).toEqual([
      "archway:brand: must be 1 to 40 letters, digits, spaces and &'()+_-",
    ]);
  },
);
