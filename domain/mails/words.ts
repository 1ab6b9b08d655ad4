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
  return { to, subject: words.subject, text: plainTextOf(words), html: htmlOf(words, platform) };
}

export function plainTextOf({ parts }: Words): string {
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
  const main = mainLink(parts);
  return [
    `<!doctype html>\n<html lang="en">\n<head>${head.join("")}</head>`,
    `<body style="margin:0;padding:24px 16px;${font}">`,
    '<div style="max-width:560px;margin:0 auto">',
    `<p style="margin:0 0 24px;font-weight:600">${escaped(brand)}</p>`,
    `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escaped(subject)}</h1>`,
    ...parts.map((part, at) => htmlOfPart(part, { isMain: part === main, isLast: at === parts.length - 1 })),
    "</div>\n</body>\n</html>\n",
  ].join("\n");
}

const paragraph = '<p style="margin:0 0 16px">';
/** The end of a mail: why it came, and what to do if one did not ask for it. */
const smallPrint = '<p style="margin:28px 0 0;padding-top:16px;border-top:1px solid #8888;font-size:14px">';
const box =
  "display:inline-block;margin-top:4px;padding:8px 14px;border:1px solid #888;border-radius:6px;overflow-wrap:anywhere;font:600 20px/1.4 ui-monospace,Menlo,Consolas,monospace";
/** White text on this blue can be read whether a mail program shows mails light or dark. */
const button =
  "display:inline-block;margin:4px 0;padding:10px 20px;border-radius:6px;background:#0b57b7;color:#fff;font-weight:600;text-decoration:none";

/** The page that the mail is about: its first link, unless a code is to be typed in on a page that is open. */
function mainLink(parts: Part[]): Part | undefined {
  const first = parts.find((part) => typeof part !== "string");
  return first !== undefined && "link" in first ? first : undefined;
}

/** A link shows its address as text, so that a person who fears a trap can type it. */
function htmlOfPart(part: Part, { isMain, isLast }: { isMain: boolean; isLast: boolean }): string {
  if (typeof part === "string") return `${isLast ? smallPrint : paragraph}${escaped(part)}</p>`;
  const label = escaped(part.label);
  if ("code" in part) return `${paragraph}${label}:<br><span style="${box}">${escaped(part.code)}</span></p>`;
  const address = escaped(part.link);
  const named = isMain ? `<a href="${address}" style="${button}">${label}</a>` : `${label}:`;
  return `${paragraph}${named}<br><a href="${address}" style="overflow-wrap:anywhere">${address}</a></p>`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
