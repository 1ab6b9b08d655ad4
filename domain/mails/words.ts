// The words of a mail, and the plain text and the HTML that are made of them: no picture, nothing loaded, readable in light and dark.
import type { Mail } from "../kernel/mail.ts";

/** The names in every mail: the platform's, and the address of its console, `https://console.example.com`. */
export type Platform = { brand: string; consoleUrl: string };

export type Words = { subject: string; parts: Part[] };

/** A paragraph, something to type in elsewhere, or a page to go to. A value is text, never markup. */
export type Part = string | { label: string; code: string } | { label: string; link: string };

const spoken = new Intl.DateTimeFormat("en-GB", {
  ...({ day: "numeric", month: "long", year: "numeric" } as const),
  ...({ hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: "UTC" } as const),
});

/** A time in a mail: "7 December 2026 at 00:00 UTC". @param time in milliseconds */
export function timeOf(time: number): string {
  return `${spoken.format(time)} UTC`;
}

const monthAndYear = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

/** A month in a mail: "November 2026". @param month `2026-11` */
export function monthName(month: string): string {
  return monthAndYear.format(Date.parse(`${month}-01`));
}

export function mailOf(words: Words, to: Mail["to"], platform: Platform): Mail {
  return { to, subject: words.subject, text: textOf(words), html: htmlOf(words, platform) };
}

export function textOf({ parts }: Words): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      return `${part.label}: ${"code" in part ? part.code : part.link}`;
    })
    .join("\n\n");
}

export function htmlOf({ subject, parts }: Words, { brand }: Pick<Platform, "brand">): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escaped(subject)}</title>`,
  ];
  const font = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif";
  return [
    `<!doctype html>\n<html lang="en">\n<head>${head.join("")}</head>`,
    `<body style="margin:0;padding:24px 16px;${font}">`,
    '<div style="max-width:560px;margin:0 auto">',
    `<p style="margin:0 0 24px;font-weight:600">${escaped(brand)}</p>`,
    ...parts.map(htmlOfPart),
    "</div>\n</body>\n</html>\n",
  ].join("\n");
}

const paragraph = '<p style="margin:0 0 16px">';
const box =
  "display:inline-block;margin-top:4px;padding:8px 14px;border:1px solid #888;border-radius:6px;overflow-wrap:anywhere;font:600 20px/1.4 ui-monospace,Menlo,Consolas,monospace";

/** A link shows its address as text, so that a person who fears a trap can type it. */
function htmlOfPart(part: Part): string {
  if (typeof part === "string") return `${paragraph}${escaped(part)}</p>`;
  const label = `${paragraph}${escaped(part.label)}:<br>`;
  if ("code" in part) return `${label}<span style="${box}">${escaped(part.code)}</span></p>`;
  return `${label}<a href="${escaped(part.link)}">${escaped(part.link)}</a></p>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
