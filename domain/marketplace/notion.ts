// Notion: pages and databases. Its MCP server is the package @notionhq/notion-mcp-server (MIT; read 2026-11, version 2.5.2).
import { monogram } from "./monogram.ts";
import type { Provider } from "./provider.ts";

export const notion = {
  kind: "runtime",
  provider_id: "notion",
  name: "Notion",
  description: "Search, read and write pages, databases and comments",
  icon: monogram("N", "#1f1f1f"),
  secret: {
    label: "Integration token",
    description: "The token of an internal integration that the pages are shared with",
    documentation_url: "https://developers.notion.com/docs/create-a-notion-integration",
  },
  // BASE_URL and OPENAPI_MCP_HEADERS would send the token elsewhere or in another way, and the others choose another transport.
  configuration: [],
  tools: [
    { name: "API-get-user", description: "A person" },
    { name: "API-get-users", description: "All people" },
    { name: "API-get-self", description: "The integration itself" },
    { name: "API-post-search", description: "Search pages and databases by title" },
    { name: "API-get-block-children", description: "The blocks within a page or a block" },
    { name: "API-patch-block-children", description: "Append blocks" },
    { name: "API-retrieve-a-block", description: "A block" },
    { name: "API-update-a-block", description: "Change a block" },
    { name: "API-delete-a-block", description: "Delete a block" },
    { name: "API-retrieve-a-page", description: "A page" },
    { name: "API-patch-page", description: "Change a page's properties" },
    { name: "API-post-page", description: "Create a page" },
    { name: "API-retrieve-a-page-property", description: "A property of a page" },
    { name: "API-retrieve-a-comment", description: "Comments" },
    { name: "API-create-a-comment", description: "Write a comment" },
    { name: "API-query-data-source", description: "Search a data source" },
    { name: "API-retrieve-a-data-source", description: "A data source" },
    { name: "API-update-a-data-source", description: "Change a data source" },
    { name: "API-create-a-data-source", description: "Create a data source" },
    { name: "API-list-data-source-templates", description: "The templates of a data source" },
    { name: "API-retrieve-a-database", description: "A database" },
    { name: "API-move-page", description: "Move a page" },
    { name: "API-retrieve-page-markdown", description: "A page as Markdown" },
    { name: "API-update-page-markdown", description: "Change a page by Markdown" },
  ],
  auth: { kind: "bearer" },
  // A request without a version is refused before its token is looked at (developers.notion.com, "Status codes").
  check: { url: "https://api.notion.com/v1/users/me", headers: { "notion-version": "2022-06-28" } },
  package: "@notionhq/notion-mcp-server",
  files: ["scripts/notion-openapi.json"],
  secret_variable: "NOTION_TOKEN",
  hosts: ["api.notion.com"],
} satisfies Provider;
