import type { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { expect, test } from "@jest/globals";
import { mailer } from "../../adapters/mail.ts";
import { MailUncertain } from "../../domain/kernel/mail.ts";

const sender = {
  MAIL_FROM: "Archway <no-reply@archway.example>",
  MAIL_IDENTITY_ARN: "arn:aws:ses:eu-west-1:000000000000:identity/archway.example",
};
const mail = { to: "ann@acme.example", subject: "Invitation", text: "Hello", html: "<p>Hello</p>" };

function recorded(answer: () => object = () => ({ MessageId: "1" })) {
  const regions: string[] = [];
  const inputs: SendEmailCommand["input"][] = [];
  const client = {
    send: async ({ input }: SendEmailCommand) => {
      inputs.push(input);
      return answer();
    },
  };
  const newClient = async (region: string) => {
    regions.push(region);
    return client as unknown as SESv2Client;
  };
  return { mailer: mailer(sender, newClient), regions, inputs };
}

test("the mailer sends text and HTML from the stack's sender, in the region of its identity, with one client", async () => {
  const { mailer, regions, inputs } = recorded();
  expect(await mailer.send(mail)).toBe("sent");
  expect(await mailer.send({ ...mail, to: "bob@acme.example" })).toBe("sent");
  expect(regions).toEqual(["eu-west-1"]);
  expect(inputs[0]).toEqual({
    FromEmailAddress: sender.MAIL_FROM,
    FromEmailAddressIdentityArn: sender.MAIL_IDENTITY_ARN,
    Destination: { ToAddresses: ["ann@acme.example"] },
    Content: {
      Simple: {
        Subject: { Data: "Invitation", Charset: "UTF-8" },
        Body: { Text: { Data: "Hello", Charset: "UTF-8" }, Html: { Data: "<p>Hello</p>", Charset: "UTF-8" } },
      },
    },
  });
});

test("the mailer says that no mail was sent if the stack has no sender", async () => {
  const newClient = () => Promise.reject(new Error("called"));
  expect(await mailer({}, newClient).send(mail)).toBe("none");
});

const answered = (httpStatusCode: number) => Object.assign(new Error("said no"), { $metadata: { httpStatusCode } });
const unreached = (code: string) => Object.assign(new Error("said no"), { code, $metadata: {} });

test.each([answered(400), answered(429), answered(503), unreached("ECONNREFUSED"), unreached("ENOTFOUND")])(
  "the mailer passes on a refusal of the service: %j",
  async (error) => {
    const { mailer } = recorded(() => {
      throw error;
    });
    await expect(mailer.send(mail)).rejects.toThrow("said no");
  },
);

test.each([answered(500), answered(504), unreached("ECONNRESET"), new Error("TimeoutError")])(
  "the mailer says so if it is unknown whether a mail was sent: %j",
  async (cause) => {
    const { mailer } = recorded(() => {
      throw cause;
    });
    await expect(mailer.send(mail)).rejects.toThrow(MailUncertain);
    await expect(mailer.send(mail)).rejects.toMatchObject({ cause });
  },
);

test("the mailer sends nothing to a text that is not exactly one address", async () => {
  const { mailer, inputs } = recorded();
  await expect(mailer.send({ ...mail, to: "ann@acme.example,bob@acme.example" })).rejects.toThrow("plain addresses");
  expect(inputs).toEqual([]);
});
