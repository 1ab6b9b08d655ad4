// The routes of the pages: Checkout, the portal, an invoice, a receipt and the dashboard, as plain HTML without JavaScript.
import type { ServerResponse } from "node:http";
import type { Account } from "../account.ts";
import { catchUp } from "../billing/billing-cycle.ts";
import { StripeRefusal } from "../refusal.ts";
import { postCheckout, showCheckout } from "./checkout-page.ts";
import { postDashboard, showDashboard } from "./dashboard-page.ts";
import { confirmPayment, showInvoice, showReceipt } from "./invoice-page.ts";
import { documentOf, type Shown } from "./page.ts";
import { postPortal, showPortal } from "./portal-page.ts";

type PageRequest = { method: string; url: string; body: string };
type Page = {
  path: RegExp;
  show: (account: Account, id: string) => Shown;
  /** @returns the address to which the browser goes on. @throws StripeRefusal, which is told on the page */
  post?: (account: Account, id: string, sent: URLSearchParams) => string;
};

const pages: Page[] = [
  { path: /^\/c\/pay\/([^/]+)$/, show: showCheckout, post: postCheckout },
  { path: /^\/p\/session\/([^/]+)$/, show: showPortal, post: postPortal },
  // Stripe sends a PDF for the second address.
  { path: /^\/i\/([^/]+?)(?:\/pdf)?$/, show: showInvoice, post: confirmPayment },
  { path: /^\/r\/([^/]+)$/, show: showReceipt },
  { path: /^\/(?:dashboard)?$/, show: showDashboard, post: postDashboard },
];

/** The policy allows the page and its style only. It sets no `form-action`, since a form redirects to an address that the caller chose. */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

export function servePage(account: Account, { method, url, body }: PageRequest, response: ServerResponse): void {
  catchUp(account);
  const { pathname } = new URL(url, "http://stripe");
  const page = pages.find(({ path }) => path.test(pathname));
  const id = page?.path.exec(pathname)?.[1] ?? "";
  let refusal: StripeRefusal | undefined;
  if (method === "POST") {
    const posted = refusedOr(() => page?.post?.(account, id, new URLSearchParams(body)));
    if (typeof posted === "string") return void response.writeHead(303, { ...headers, location: posted }).end();
    refusal = posted;
  }
  const shown = refusedOr(() => page?.show(account, id)) ?? {
    status: 404,
    title: "There is no such page",
    content: "",
  };
  if (shown instanceof StripeRefusal) send(response, { title: "This page is not available", content: "" }, shown);
  else send(response, shown, refusal);
}

function send(response: ServerResponse, shown: Shown, refusal?: StripeRefusal): void {
  response.writeHead(shown.status ?? refusal?.status ?? 200, headers).end(documentOf(shown, refusal?.message));
}

function refusedOr<T>(act: () => T): T | StripeRefusal {
  try {
    return act();
  } catch (error) {
    if (error instanceof StripeRefusal) return error;
    throw error;
  }
}
