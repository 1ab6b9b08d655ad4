// The words of a notice's mail: what is used and left, what happens at 100 %, when the limit begins anew and where it is changed.
import { isServiceAccount } from "../access/api-key.ts";
import { nameInMail } from "../kernel/mail.ts";
import { formatUsd, type NanoUsd } from "../kernel/money.ts";
import { nextMonth, startOfMonth } from "../kernel/period.ts";
import { type Part, type Platform, timeOf, type Words } from "../mails/words.ts";
import { fullName, type Workspace } from "../mails/workspace-name.ts";
import type { NoticeRecord, NoticeSubject } from "./notice.ts";

/** @param apiUrl the control plane's address, e.g. `https://api.example.com` */
export type NoticePlatform = Platform & { apiUrl: string };

type Notice = {
  tenant: Workspace & { tenant_id: string };
  subject: NoticeSubject;
  record: Pick<NoticeRecord, "threshold" | "used" | "limit">;
};

export function noticeMail({ tenant, subject, record }: Notice, platform: NoticePlatform): Words {
  const { threshold, used, limit } = record;
  const { short, whole, end, change, page, why } = wordsOf(subject, tenant.tenant_id, platform);
  const amount =
    subject.kind === "credit" ? (tokens: number) => `${tokens} tokens` : (usd: number) => `${withCents(usd)} USD`;
  const left = amount(Math.max(0, limit - used));
  return {
    // The slug has letters, digits and hyphens only, so that it is safe in a mail's subject.
    subject: `${threshold} % of ${short} is used (${tenant.slug})`,
    parts: [
      `Workspace: ${fullName(tenant)} on ${platform.brand}`,
      `${threshold} % of ${whole} is used: ${amount(used)} of ${amount(limit)}. ${left} are left.`,
      threshold < 100 ? `At 100 % ${end}` : `From now on ${end}`,
      ...(subject.kind === "credit" ? [] : [`It begins anew on ${resetOf(subject.month)}.`]),
      change,
      page,
      "Figures are as of the last quarter of an hour. Calls in flight are not among them.",
      `${why} If the use is not yours, look for an API key that others may have.`,
    ],
  };
}

type NoticeWords = { short: string; whole: string; end: string; change: string; page: Part; why: string };

function wordsOf(subject: NoticeSubject, tenantId: string, { apiUrl, consoleUrl }: NoticePlatform): NoticeWords {
  const inConsole = (label: string, path: string): Part => ({ label, link: `${consoleUrl}${path}` });
  const asOwner = "You get this mail because you own the workspace.";
  if (subject.kind === "cap") {
    return {
      short: "the workspace's monthly cap",
      whole: "the workspace's monthly cap, for all its callers together,",
      end: "all calls of all callers are refused (429), yours included.",
      change: `You can raise the cap, in the console or by PATCH ${apiUrl}/v1/tenants/${tenantId} with monthly_cap_usd. It counts within a minute.`,
      page: inConsole("Change the cap", "/settings"),
      why: asOwner,
    };
  }
  if (subject.kind === "credit") {
    return {
      short: "the free credit",
      whole: "the workspace's free credit",
      end: "all calls are refused (429) until the workspace has a payment method.",
      change: "The credit does not come back. You, its owner, can add a payment method in the console.",
      page: inConsole("Add a payment method", "/billing"),
      why: asOwner,
    };
  }
  const caller = nameInMail(subject.caller_id);
  if (isServiceAccount(subject.caller_id)) {
    return {
      short: "a service account's monthly budget",
      whole: `the monthly budget of the service account ${caller}`,
      end: "its calls are refused (429).",
      change: `You can change its limits, in the console or by PATCH ${apiUrl}/v1/keys/{key_id} with grant.`,
      page: inConsole("See the keys", "/keys"),
      why: asOwner,
    };
  }
  return {
    short: "your monthly budget",
    whole: "your monthly budget",
    end: "your calls are refused (429), those of your API keys included.",
    change: `The owner of the workspace can change your budget, in the console or by PUT ${apiUrl}/v1/grants/${caller}.`,
    page: inConsole("See your usage", "/usage"),
    why: "You get this mail because the budget is yours.",
  };
}

/** As prices are written: "81.40". What is less than a cent stays. */
function withCents(amount: NanoUsd): string {
  const [whole, fraction = ""] = formatUsd(amount).split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
}

function resetOf(month: string): string {
  return timeOf(nextMonth(startOfMonth(month)));
}
