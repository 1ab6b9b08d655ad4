import { expect, test } from "@jest/globals";
import { declaredPool, poolId, start } from "./harness.ts";

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
  expect(stack.mails).toEqual([{ to: email, subject: "An invitation", text }]);
});
