// The pages of a sign-in: the question for consent, and what went wrong. Plain HTML without a script, which no frame may hold.
import { createHash } from "node:crypto";
import type { ConsentQuestion } from "../../domain/connectors/authorization.ts";
import { answerHeaders } from "../middleware/answer-headers.ts";
import type { OAuthAnswer } from "./message.ts";

const style = `
:root { color-scheme: light dark; color: light-dark(#111, #eee); background: light-dark(#fff, #111); }
body { max-width: 28rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.375rem; line-height: 1.25; }
dt { margin-top: .75rem; }
dd { margin: 0; font-weight: 600; }
.warning { padding: .75rem; border: 1px solid; }
button { box-sizing: border-box; width: 100%; margin-top: 1rem; padding: .625rem; font: inherit; }
`;

/**
 * The page loads nothing but its style. The form's target is free, because browsers apply `form-action` to the redirects behind a form too, which
 * lead to the user pool and to the client.
 */
const securityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers = {
  ...answerHeaders,
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": securityPolicy,
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

export function consentPage({ sealed, client, redirectUri, onThisMachine, workspace }: ConsentQuestion): OAuthAnswer {
  const { host, protocol } = new URL(redirectUri);
  const goal = protocol === "https:" || protocol === "http:" ? host : `${protocol}//${host}`;
  const warning = onThisMachine
    ? "The answer goes to a program on this computer. Allow it only if you have just started the sign-in in a program of yours."
    : `The answer goes to ${host}. Allow it only if you know this address and have just started the sign-in there.`;
  return page(
    200,
    "Allow access to your tools?",
    `<p>${escaped(applicationOf(client))} wants to use the tools of a workspace in your name.</p>
<dl>
<dt>Workspace</dt><dd>${escaped(workspace)}</dd>
<dt>Answer goes to</dt><dd>${escaped(goal)}</dd>
</dl>
<p class="warning">${escaped(warning)}</p>
<form method="post" action="/authorize">
<input type="hidden" name="request" value="${escaped(sealed)}">
<button type="submit" name="decision" value="allow">Allow, and sign in</button>
<button type="submit" name="decision" value="deny">Do not allow</button>
</form>`,
  );
}

/** The proof that there is of who asks: the host of a document, or nothing. */
function applicationOf(client: ConsentQuestion["client"]): string {
  if (client.kind === "fixed") return "An application with the workspace's own client id";
  if (client.kind === "document") {
    const { host } = new URL(client.clientId);
    return client.name === undefined ? `An application of ${host}` : `${client.name}, an application of ${host},`;
  }
  return client.name === undefined
    ? "An application that gives no name"
    : `An application that calls itself “${client.name}”`;
}

export function errorPage(status: number, problem: string): OAuthAnswer {
  return page(status, "The sign-in cannot go on", `<p class="warning" role="alert">${escaped(problem)}.</p>`);
}

function page(statusCode: number, title: string, content: string): OAuthAnswer {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`;
  return { statusCode, headers, body };
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
