import {
  ListEmailIdentitiesCommand,
  SESv2Client,
  SendEmailCommand,
  type SendEmailCommandInput,
} from "@aws-sdk/client-sesv2";
import { afterEach, describe, expect, test } from "@jest/globals";
import { Mailbox } from "../../mailbox.ts";
import { Ses } from "../../ses/ses.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const arnOf = (name: string, region = "eu-central-1") => `arn:aws:ses:${region}:000000000000:identity/${name}`;
const domain = arnOf("archway.example");
const fromOurs = { StringEquals: { "ses:FromAddress": "no-reply@archway.example" } };

let running: RunningEndpoint;
let mailbox: Mailbox;
const clients: SESv2Client[] = [];

async function start({ identities = [domain], rights = [allow("ses:SendEmail", "*")] } = {}) {
  mailbox = new Mailbox();
  running = await startEndpoint({
    resources: resources(aRole("mailing", rights)),
    services: ({ clock }) => [new Ses({ identities, mailbox, clock })],
  });
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await running.close();
});

function sesClient(region = "eu-central-1") {
  const client = new SESv2Client({ ...clientOptions(running.url, running.keysOf(aPrincipal("mailing"))), region });
  clients.push(client);
  return client;
}

function send(more: Partial<SendEmailCommandInput> = {}, region?: string) {
  return sesClient(region).send(
    new SendEmailCommand({
      FromEmailAddress: "Archway <no-reply@archway.example>",
      Destination: { ToAddresses: ["ann@acme.example"] },
      Content: simple("Hello", "one\ntwo"),
      ...more,
    }),
  );
}

function simple(subject: string, text: string) {
  const Body = { Text: { Data: text, Charset: "UTF-8" } };
  return { Simple: { Subject: { Data: subject, Charset: "UTF-8" }, Body } };
}

const rejected = (address: string, region = "EU-CENTRAL-1") => ({
  name: "MessageRejected",
  message: `Email address is not verified. The following identities failed the check in region ${region}: ${address}`,
  $metadata: { httpStatusCode: 400 },
});

describe("a mail", () => {
  test("a mail through SES from a verified domain arrives in the mailbox, with the stack's time", async () => {
    await start();
    running.clock.advance(86_400_000);
    const { MessageId } = await send();
    expect(MessageId).toMatch(/^[0-9a-f-]{36}$/);
    expect(mailbox.mails()).toEqual([
      { at: expect.stringMatching(/^\d{4}-/), to: "ann@acme.example", subject: "Hello", text: "one\ntwo" },
    ]);
    expect(Date.parse(mailbox.mails()[0]?.at ?? "")).toBeGreaterThan(Date.now() + 86_000_000);
  });

  test.each(["no-reply@archway.example", "mail.archway.example"])(
    "a mail through SES can be sent from the identity of %s",
    async (name) => {
      await start({ identities: [arnOf(name)] });
      const address = name.includes("@") ? name : `no-reply@${name}`;
      await send({ FromEmailAddress: address, FromEmailAddressIdentityArn: arnOf(name) });
      expect(mailbox.mails()).toHaveLength(1);
    },
  );

  test("a mail through SES can be sent from a subdomain of a verified domain", async () => {
    await start();
    await send({ FromEmailAddress: "a@mail.archway.example" });
    expect(mailbox.mails()).toHaveLength(1);
  });

  test("a mail through SES from an unverified identity is rejected, in the words of SES", async () => {
    await start();
    await expect(send({ FromEmailAddress: "no-reply@other.example" })).rejects.toMatchObject(
      rejected("no-reply@other.example"),
    );
    await expect(send({}, "eu-west-1")).rejects.toMatchObject(rejected("no-reply@archway.example", "EU-WEST-1"));
    await expect(send({ FromEmailAddressIdentityArn: arnOf("other.example") })).rejects.toMatchObject(
      rejected("no-reply@archway.example"),
    );
    expect(mailbox.mails()).toEqual([]);
  });

  test.each([
    ["two addresses in one", { Destination: { ToAddresses: ["ann@acme.example,bob@acme.example"] } }],
    ["an address that is none", { Destination: { ToAddresses: ["ann"] } }],
    ["an address that is not ASCII", { Destination: { ToAddresses: ["jürgen@acme.example"] } }],
    ["a recipient too many", { Destination: { ToAddresses: Array.from({ length: 51 }, (_, n) => `a${n}@b.example`) } }],
    ["nobody", { Destination: { ToAddresses: [] } }],
    ["a header in the subject", { Content: simple("Hello\r\nBcc: bob@acme.example", "") }],
    ["an input that is not emulated", { ConfigurationSetName: "main" }],
  ])("a mail through SES to or with %s is a bad request", async (_, input) => {
    await start();
    await expect(send(input)).rejects.toMatchObject({ name: "BadRequestException" });
    expect(mailbox.mails()).toEqual([]);
  });
});

describe("a role that may send by one identity from one address", () => {
  const rights = [allow("ses:SendEmail", domain, { Condition: fromOurs })];

  test("a role that may send from one address may use any display name", async () => {
    await start({ rights });
    await send({ FromEmailAddressIdentityArn: domain });
    await send({ FromEmailAddress: "no-reply@archway.example" });
    expect(mailbox.mails()).toHaveLength(2);
  });

  test("a role that may send from one address may not send from another address or identity", async () => {
    await start({ rights, identities: [domain, arnOf("other.example")] });
    const denied = { name: "AccessDeniedException", $metadata: { httpStatusCode: 403 } };
    await expect(send({ FromEmailAddress: "boss@archway.example" })).rejects.toMatchObject(denied);
    await expect(send({ FromEmailAddress: "no-reply@other.example" })).rejects.toMatchObject(denied);
    expect(mailbox.mails()).toEqual([]);
  });
});

test("the emulated SES has no other operations", async () => {
  await start();
  await expect(sesClient().send(new ListEmailIdentitiesCommand())).rejects.toMatchObject({
    name: "UnknownOperationException",
  });
});
