// The routes by which OpenAPI documents are uploaded and checked, as data.
import * as z from "zod";
import { specCheckBody } from "../../../domain/integrations/server-body.ts";
import { specCheckSchema } from "../../../domain/integrations/spec-check.ts";
import { fields } from "../../../domain/kernel/validation.ts";
import { mostDocumentBytes } from "../../../domain/openapi/document.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const bytesMessage = `must be 1 to ${mostDocumentBytes}`;

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
          .max(mostDocumentBytes, bytesMessage)
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
  checkMcpSpec: {
    method: "POST",
    path: "/v1/mcp-specs/check",
    access: "member",
    asksOutside: true,
    summary: "See what would become of the operations of an OpenAPI document. Nothing is registered",
    body: writtenBy(specCheckBody, "caller"),
    response: specCheckSchema,
    refusals: ["gateway_unavailable"],
    example: {
      body: {
        spec: "openapi: 3.1.0 ...",
        operations: { tags: ["pets"] },
      },
      response: {
        base_url: "https://api.pets.example.com/v1",
        taken: 12,
        taken_with_loss: 1,
        not_offered: 1,
        not_chosen: 40,
        operations: [
          {
            operation: "GET /pets",
            tool: "listPets",
            losses: [{ code: "left_out", at: "filter", message: "query parameter filter has the style deepObject" }],
          },
          {
            operation: "PUT /pets/{id}/photo",
            reason: "media_type",
            message: "takes a body of image/png, not of JSON or a form",
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Route>;
