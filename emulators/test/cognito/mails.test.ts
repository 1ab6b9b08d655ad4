import { describe, expect, test } from "@jest/globals";
import type { TriggerEvent } from "../../cognito/triggers.ts";
import { declaredPool, poolId, poolWithMessages } from "./declarations.ts";
import { start } from "./harness.ts";

const email = "ann@example.com";

test("the mailbox shows a template's line breaks as lines, and its placeholders filled in", async () => {
  const emailMessage = "You are invited.<br>Your username is {username}<br />and your temporary password is {####}";
  const inviteMessageTemplate = { emailSubject: "An invitation", emailMessage };
  await using stack = await start({ pool: { ...declaredPool, adminCreateUserConfig: { inviteMessageTemplate } } });
  await stack.call("AdminCreateUser", {
    UserPoolId: poolId,
    Username: email,
    TemporaryPassword: "Braces-{####}-<br>-1",
  });
  const text = `You are invited.\nYour username is ${email}\nand your temporary password is Braces-{####}-<br>-1`;
  expect(stack.mails).toMatchObject([{ to: email, subject: "An invitation", text }]);
});

describe("a trigger for messages", () => {
  const codes = ({ triggerSource, request }: TriggerEvent) => ({ triggerSource, ...request });

  test("a trigger for messages chooses the text of a sign-up's code, and the plain text matches the HTML", async () => {
    const html = "<html><head><title>Code</title></head>\n<p>One &amp; two:<br>\n<b>{####}</b></p>\n<p>Bye</p></html>";
    await using stack = await start({
      pool: poolWithMessages,
      trigger: ({ response }) =>
        Object.assign(response, "emailMessage" in response && { emailSubject: "A code", emailMessage: html }),
    });
    await stack.signUp(email);
    expect(stack.mails).toEqual([
      {
        to: email,
        subject: "A code",
        text: expect.stringMatching(/^One & two:\n\d{6}\n\nBye$/),
        html: expect.stringMatching(/^<html><head><title>Code<.*<b>\d{6}<\/b>/s),
      },
    ]);
    expect(stack.events.map(codes)).toContainEqual(
      expect.objectContaining({
        triggerSource: "CustomMessage_SignUp",
        codeParameter: "{####}",
        usernameParameter: null,
        userAttributes: expect.objectContaining({ email, "cognito:user_status": "UNCONFIRMED" }),
      }),
    );
  });

  test("a trigger for messages gets the call's metadata, and learns that it is an invitation", async () => {
    await using stack = await start({ pool: poolWithMessages });
    await stack.call("AdminCreateUser", { UserPoolId: poolId, Username: email, ClientMetadata: { of: "Acme" } });
    expect(stack.events.map(codes)).toMatchObject([
      { triggerSource: "PreSignUp_AdminCreateUser", clientMetadata: { of: "Acme" } },
      {
        triggerSource: "CustomMessage_AdminCreateUser",
        clientMetadata: { of: "Acme" },
        usernameParameter: "{username}",
      },
    ]);
  });

  test.each(["", "Hello", "{####} without the username"])(
    "an invitation keeps its declared text if the trigger's text leaves a placeholder out: %j",
    async (emailMessage) => {
      await using stack = await start({
        pool: poolWithMessages,
        trigger: ({ response }) => Object.assign(response, "emailMessage" in response && { emailMessage }),
      });
      await stack.call("AdminCreateUser", { UserPoolId: poolId, Username: email });
      expect(stack.mails).toMatchObject([{ subject: "Your temporary password" }]);
    },
  );
});
