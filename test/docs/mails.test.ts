import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { mailsFolder, rendered } from "../../docs/mails.ts";

const pages = rendered();

test.each(Object.keys(pages))("docs/%s shows the mail's current text: npm run docs:mails", (file) => {
  expect(pages[file]).toBe(readFileSync(new URL(file, mailsFolder), "utf8"));
});

test("each file with a mail's text has an example in the documents", () => {
  const words = readdirSync(new URL("../domain/mails/", mailsFolder));
  const others = ["words.ts", "workspace-name.ts", "mailed-invoice.ts", "billing-recipient.ts", "tell.ts"];
  for (const file of words.filter((name) => !others.includes(name))) {
    expect(pages["mails.md"]).toContain(`domain/mails/${file}`);
  }
});
