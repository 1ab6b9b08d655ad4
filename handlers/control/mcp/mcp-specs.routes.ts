// The route by which OpenAPI documents are uploaded, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { mostSpecBytes } from "../../../domain/upstream/openapi-lint.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const bytesMessage = `must be 1 to ${mostSpecBytes}`;

export const mcpSpecRoutes = {
  uploadMcpSpec: {
    method: "POST",
    path: "/v1/mcp-specs",
    access: "member",
    summary: "Get an address to which an OpenAPI document can be uploaded, and the `spec_uri` that names the document",
    body: writtenBy(
      fields({
        bytes: z
          .int(bytesMessage)
          .min(1, bytesMessage)
          .max(mostSpecBytes, bytesMessage)
          .describe("Size of the document in bytes"),
      }).meta({ id: "McpSpecUploadRequest", description: "The document to upload" }),
      "caller",
    ),
    response: z
      .object({
        upload_url: z.url().describe("Address that takes one PUT with exactly the given number of bytes"),
        spec_uri: z.string().describe("Name of the document, for POST and PUT of an integration"),
        expires_at: z.iso.datetime().describe("Until when `upload_url` can be used"),
      })
      .meta({ id: "McpSpecUpload", description: "An address to upload an OpenAPI document to" }),
    example: {
      body: { bytes: 20_480 },
      response: {
        upload_url: "https://specs.example.com/uploads/8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d/4b52?signature=...",
        spec_uri: "s3://specs/uploads/8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d/4b52",
        expires_at: "2026-11-23T10:10:00.000Z",
      },
    },
  },
} as const satisfies Record<string, Route>;
