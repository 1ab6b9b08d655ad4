// `npm run docs:mails`: writes docs/mails.md, all mails of the platform as text, and each as HTML into docs/mails/.
import { mkdirSync, writeFileSync } from "node:fs";
import { actionRequired } from "../domain/mails/action-required.ts";
import { addressCode } from "../domain/mails/address-code.ts";
import { approvalAwaited } from "../domain/mails/approval-awaited.ts";
import { approved } from "../domain/mails/approved.ts";
import { invitation } from "../domain/mails/invitation.ts";
import { invitationWithoutPassword } from "../domain/mails/invitation-without-password.ts";
import { invoiceFinal } from "../domain/mails/invoice-final.ts";
import { modelEnd } from "../domain/mails/model-end.ts";
import { passwordCode } from "../domain/mails/password-code.ts";
import { paymentFailed } from "../domain/mails/payment-failed.ts";
import { resumedAfterDebt } from "../domain/mails/resumed.ts";
import { signUpCode } from "../domain/mails/sign-up-code.ts";
import { suspendedForDebt } from "../domain/mails/suspended.ts";
import { htmlOf, plainTextOf, type Words } from "../domain/mails/words.ts";
import { workspaceDeleted } from "../domain/mails/workspace-deleted.ts";
import { noticeMail } from "../domain/notices/notice-mail.ts";
import { signUpHours } from "../domain/people/expired-sign-ups.ts";
import { invitationDays } from "../domain/people/invitation-mail.ts";

export const mailsFolder = new URL("./", import.meta.url);

const platform = {
  brand: "Archway",
  consoleUrl: "https://console.example.com",
  apiUrl: "https://api.example.com",
};
const tenant = { tenant_id: "3f0c0b8e-6f5d-4a57-9d0a-2f6a9d1f7c11", name: "Acme & Söhne", slug: "acme-soehne" };
const into = { workspace: tenant, inviter: "ann@acme.example" };
const account = { username: "ben@acme.example", password: "q7RmT!k2Wz9p", days: invitationDays, providers: ["Google"] };
const code = "493817";

type Example = { file: string; when: string; sender: "Cognito" | "the platform"; words: Words };

const invoice = {
  ...{ id: "in_1SExample", number: "ACME-0003", month: "2026-11", totalCents: 3107, dueCents: 3107, currency: "usd" },
  ...{ nextAttemptAt: Date.parse("2026-12-07T00:00:00Z"), url: "https://invoice.stripe.com/i/example" },
};
const ofInvoice = { workspace: tenant, invoice, isNamed: true };

const ofPayments: Record<string, Pick<Example, "when" | "words">> = {
  "invoice-final": { when: "An invoice is final", words: invoiceFinal(ofInvoice, platform) },
  "payment-failed": {
    when: "A payment failed, and is tried again",
    words: paymentFailed({ ...ofInvoice, isNamed: false }, platform),
  },
  "action-required": {
    when: "The bank wants a person to confirm a payment (3-D Secure)",
    words: actionRequired(ofInvoice, platform),
  },
  suspended: {
    when: "A workspace is suspended, since something is owed",
    words: suspendedForDebt({ ...ofInvoice, isNamed: false }, platform),
  },
  resumed: {
    when: "Nothing is owed any more",
    words: resumedAfterDebt({ workspace: tenant, isNamed: false }, platform),
  },
};

const examples: Record<string, Example> = {
  "sign-up-code": {
    file: "domain/mails/sign-up-code.ts",
    when: "Somebody signs up, or asks for another code",
    sender: "Cognito",
    words: signUpCode({ code, hours: signUpHours, others: [] }, platform),
  },
  "sign-up-code-beside": {
    file: "domain/mails/sign-up-code.ts",
    when: "Somebody signs up with an address that an account of a provider has",
    sender: "Cognito",
    words: signUpCode({ code, hours: signUpHours, others: ["Google"] }, platform),
  },
  "password-code": {
    file: "domain/mails/password-code.ts",
    when: "Somebody has forgotten their password",
    sender: "Cognito",
    words: passwordCode({ code }, platform),
  },
  "address-code": {
    file: "domain/mails/address-code.ts",
    when: "Somebody changes the e-mail address of their account",
    sender: "Cognito",
    words: addressCode({ code }, platform),
  },
  invitation: {
    file: "domain/mails/invitation.ts",
    when: "An owner invites somebody who has no account, or mails that again",
    sender: "Cognito",
    words: invitation({ ...into, ...account }, platform),
  },
  "invitation-member": {
    file: "domain/mails/invitation-without-password.ts",
    when: "An owner invites somebody who has signed in before, or mails that again",
    sender: "the platform",
    words: invitationWithoutPassword({ ...into, hasSignedIn: true, days: invitationDays }, platform),
  },
  "invitation-beside": {
    file: "domain/mails/invitation-without-password.ts",
    when: "An owner invites somebody whose account another workspace's invitation made, and who has not come yet",
    sender: "the platform",
    words: invitationWithoutPassword({ ...into, hasSignedIn: false, days: invitationDays }, platform),
  },
  "approval-awaited": {
    file: "domain/mails/approval-awaited.ts",
    when: "Somebody signed up alone where administrators approve people",
    sender: "the platform",
    words: approvalAwaited(platform),
  },
  "workspace-deleted": {
    file: "domain/mails/workspace-deleted.ts",
    when: "An owner has deleted a workspace",
    sender: "the platform",
    words: workspaceDeleted(
      { workspace: tenant, isPaying: true, purgedAt: Date.parse("2026-12-10T09:30:00Z") },
      platform,
    ),
  },
  approved: {
    file: "domain/mails/approved.ts",
    when: "An administrator of the platform has approved somebody",
    sender: "the platform",
    words: approved(platform),
  },
  ...Object.fromEntries(
    Object.entries(ofPayments).map(([name, { when, words }]) => [
      name,
      { file: `domain/mails/${name}.ts`, when, sender: "the platform" as const, words },
    ]),
  ),
  "model-end": {
    file: "domain/mails/model-end.ts",
    when: "A model ends within a month which the workspace calls",
    sender: "the platform",
    words: modelEnd(
      {
        workspace: tenant,
        ...{ model: "claude-opus-4-5", display_name: "Claude Opus 4.5", at: "host", last_day: "2027-01-22" },
        successor: "claude-opus-5-5",
      },
      platform,
    ),
  },
  "limit-reached": {
    file: "domain/notices/notice-mail.ts",
    when: "50, 80 or 100 % of a cap, a budget or the free credit is used",
    sender: "the platform",
    words: noticeMail(
      {
        tenant,
        subject: { kind: "cap", tenant_id: tenant.tenant_id, month: "2026-11" },
        record: { threshold: 80, used: 81.4e9, limit: 100e9 },
      },
      platform,
    ),
  },
};

/** Each file with its text. */
export function rendered(): Record<string, string> {
  const pages = Object.entries(examples).map(([name, { words }]) => [`mails/${name}.html`, htmlOf(words, platform)]);
  return { "mails.md": overview(), ...Object.fromEntries(pages) };
}

function overview(): string {
  const rows = Object.entries(examples).map(
    ([name, { file, when, sender }]) => `| [${when}](#${name}) | ${sender} | [${file}](../${file}) |`,
  );
  const sections = Object.entries(examples).map(
    ([name, { words }]) =>
      `## ${name}\n\n[as HTML](mails/${name}.html)\n\n    Subject: ${words.subject}\n\n${indented(plainTextOf(words))}`,
  );
  return `# Mails

This page is made by \`npm run docs:mails\` from the files with the mails' texts. The platform's name in mails is \`archway:brand\`. Links lead to the console, at the origin of the first address in
\`archway:console.callbackUrls\`, so a console of your own must answer at \`/\`, \`/workspaces\`, \`/onboarding\`, \`/settings\`, \`/billing\`, \`/keys\` and \`/usage\`.

Every mail names the platform, says how long its content is valid, and what to do if the reader did not cause it. The platform sends its own mails as text and HTML. Cognito sends
its mails only as HTML and, unless the stack has \`archway:mail\`, from its own address, 50 a day. Without \`archway:mail\` the platform sends no mails of its own.

| When | Sent by | Text |
| --- | --- | --- |
${rows.join("\n")}

${sections.join("\n\n")}
`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}

if (import.meta.main) {
  mkdirSync(new URL("mails/", mailsFolder), { recursive: true });
  for (const [file, text] of Object.entries(rendered())) writeFileSync(new URL(file, mailsFolder), text);
}
