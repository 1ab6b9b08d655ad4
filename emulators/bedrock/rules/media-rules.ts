// Pictures and documents: their media types and data, and citations of documents.
import type { RequestBody } from "../request/body-schema.ts";
import { every } from "./model-group.ts";
import { blocksWithin, type Particulars, type Rule, when } from "./rule.ts";

type Source = { type: string; media_type?: unknown; data?: unknown };

export const mediaRules: readonly Rule[] = [
  {
    refused: "a picture of another type than JPEG, PNG, GIF and WebP",
    models: every,
    words: "{path}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    source: "anthropics/claude-code#5955",
    day: "2025-08-17",
    find: (body) => inline(body, "image", ({ media_type: type }) => !/^image\/(jpeg|png|gif|webp)$/.test(String(type))),
  },
  {
    refused: "a document as base64 that is no PDF",
    models: every,
    words: "{path}.source.base64.media_type: Input should be 'application/pdf'",
    source: "Vendor's SDK 1.14, `Base64PDFSource`; words: by those of a picture's type",
    day: "2026-11-28",
    find: (body) => inline(body, "document", ({ media_type: type }) => type !== "application/pdf"),
  },
  {
    refused: "a picture without data",
    models: every,
    words: "{path}.source.base64: image cannot be empty",
    source: "anthropics/claude-code#12750",
    day: "2025-11-30",
    find: (body) => inline(body, "image", ({ data }) => data === ""),
  },
  {
    refused: "a picture whose data are no base64, such as a `data:` URL",
    models: every,
    words: "{path}.source.base64: invalid base64 data",
    source: "anthropics/anthropic-sdk-typescript#603, Yeachan-Heo/gajae-code#2813",
    day: "2026-07-21",
    find: (body) => inline(body, "image", ({ data }) => !base64.test(String(data))),
  },
  {
    refused: "citations together with a format",
    models: every,
    words: "output_config.format: Citations are not supported with a format.",
    wordsAreOurs: true,
    source: 'platform.claude.com, structured outputs ("Incompatible": a 400 error)',
    day: "2026-11-28",
    find: (body) => when(Boolean(body.output_config?.format) && blocksWithin(body).some(({ block }) => cites(block))),
  },
];

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

function inline(body: RequestBody, type: string, refused: (source: Source) => boolean): Particulars | undefined {
  const found = blocksWithin(body).find(({ block }) => {
    const { source } = block as { source?: Source };
    return block.type === type && source?.type === "base64" && refused(source);
  });
  return found && { path: found.path };
}

const cites = (block: object) => (block as { citations?: { enabled?: unknown } | null }).citations?.enabled === true;
