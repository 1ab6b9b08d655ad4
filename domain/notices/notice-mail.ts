// The text of a notice's mail: what is used and left, what happens at 100 %, when the limit begins anew and where it is changed.
import { isServiceAccount } from "../access/api-key.ts";
import { type Mail, nameInMail } from "../kernel/mail.ts";
import { formatUsd } from "../kernel/money.ts";
import { nextMonth, startOfMonth } from "../kernel/period.ts";
import type { Tenant } from "../workspace/tenant.ts";
import type { NoticeRecord, NoticeSubject } from "./notice.ts";

export type Addresses = {
  /** The control plane's address, e.g. `https://api.example.com`. */
  apiUrl: string;
  /** The console's address, e.g. `https://console.example.com`. */
  consoleUrl: string;
};

type Notice = {
  to: string;
  tenant: Pick<Tenant, "tenant_id" | "name" | "slug">;
  subject: NoticeSubject;
  record: Pick<NoticeRecord, "threshold" | "used" | "limit">;
};

export function noticeMail({ to, tenant, subject, record }: Notice, addresses: Addresses): Mail {
  const { threshold, used, limit } = record;
  const { short, whole, end, change } = wordsOf(subject, tenant.tenant_id, addresses);
  const amount =
    subject.kind === "credit" ? (tokens: number) => `${tokens} tokens` : (usd: number) => `${formatUsd(usd)} USD`;
  const left = amount(Math.max(0, limit - used));
  const lines = [
    `${threshold} % of ${whole} is used: ${amount(used)} of ${amount(limit)}. ${left} are left.`,
    threshold < 100 ? `At 100 % ${end}` : `From now on ${end}`,
    ...(subject.kind === "credit" ? [] : [`It begins anew at ${resetOf(subject.month)}.`]),
    change,
    "Figures are as of the last quarter of an hour. Calls in flight are not among them.",
  ];
  return {
    to,
    // The slug has letters, digits and hyphens only, so that it is safe in a mail's subject.
    subject: `${threshold} % of ${short} is used (${tenant.slug})`,
    text: [`Workspace: ${nameInMail(tenant.name)} (${tenant.slug})`, ...lines].join("\n\n"),
  };
}

function wordsOf(subject: NoticeSubject, tenantId: string, { apiUrl, consoleUrl }: Addresses) {
  const where = (call: string) => `In the console, ${consoleUrl}, or by ${call}.`;
  if (subject.kind === "cap") {
    return {
      short: "the workspace's monthly cap",
      whole: "the workspace's monthly cap, for all its callers together,",
      end: "all calls of all callers are refused (429), yours included.",
      change: `You can raise the cap. ${where(`PATCH ${apiUrl}/v1/tenants/${tenantId} with monthly_cap_usd`)}`,
    };
  }
  if (subject.kind === "credit") {
    return {
      short: "the free credit",
      whole: "the workspace's free credit",
      end: "all calls are refused (429) until the workspace has a payment method.",
      change: `The credit does not come back. A payment method is added by the owner: ${consoleUrl}`,
    };
  }
  const caller = nameInMail(subject.caller_id);
  if (isServiceAccount(subject.caller_id)) {
    return {
      short: "a service account's monthly budget",
      whole: `the monthly budget of the service account ${caller}`,
      end: "its calls are refused (429).",
      change: `You can change its limits. ${where(`PATCH ${apiUrl}/v1/keys/{key_id} with grant`)}`,
    };
  }
  return {
    short: "your monthly budget",
    whole: "your monthly budget",
    end: "your calls are refused (429), those of your API keys included.",
    change: `The owner of the workspace can change your budget. ${where(`PUT ${apiUrl}/v1/grants/${caller}`)}`,
  };
}

function resetOf(month: string): string {
  return new Date(nextMonth(startOfMonth(month))).toISOString();
}
