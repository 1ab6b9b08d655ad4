// GitLab: projects, issues and merge requests on gitlab.com, by its REST API (docs.gitlab.com/api/rest). Paths and parameters were compared with
// the package @gitbeaker/core 43.8.0, states and the header PRIVATE-TOKEN with GitLab's doc/api/merge_requests.md (2026-11).
import { type ApiOperation, apiDocument, toolsOf } from "./api-document.ts";
import { monogram } from "./monogram.ts";
import type { Provider } from "./provider.ts";

const project = {
  id: { type: "string", description: "The project's number, or its path, e.g. group/project" },
} as const;
const issue = { ...project, issue_iid: { type: "integer", description: "The issue's number in the project" } } as const;
const mergeRequest = {
  ...project,
  merge_request_iid: { type: "integer", description: "The merge request's number in the project" },
} as const;
const page = {
  per_page: { type: "integer", description: "How many on a page, 20 unless given, 100 at the most" },
  page: { type: "integer", description: "Which page, from 1 on" },
} as const;
const search = { type: "string", description: "What the title or the text has" } as const;

const operations: readonly ApiOperation[] = [
  { at: "get /user", tool: "get_me", description: "The account that the token belongs to" },
  {
    at: "get /projects",
    tool: "list_projects",
    description: "Projects that the token may see",
    query: {
      search: { type: "string", description: "What the name has" },
      membership: { type: "boolean", description: "Only those of which the account is a member" },
      ...page,
    },
  },
  { at: "get /projects/{id}", tool: "get_project", description: "A project", path: project },
  {
    at: "get /projects/{id}/issues",
    tool: "list_issues",
    description: "A project's issues",
    path: project,
    query: {
      state: { type: "string", description: "Which ones, all unless given", enum: ["opened", "closed", "all"] },
      labels: { type: "string", description: "Names of labels, with commas between" },
      search,
      ...page,
    },
  },
  {
    at: "post /projects/{id}/issues",
    tool: "create_issue",
    description: "Open an issue",
    path: project,
    body: {
      title: { type: "string", description: "The title", required: true },
      description: { type: "string", description: "The text, in Markdown" },
      labels: { type: "string", description: "Names of labels, with commas between" },
    },
  },
  { at: "get /projects/{id}/issues/{issue_iid}", tool: "get_issue", description: "An issue", path: issue },
  {
    at: "get /projects/{id}/issues/{issue_iid}/notes",
    tool: "list_issue_comments",
    description: "The comments of an issue",
    path: issue,
    query: page,
  },
  {
    at: "post /projects/{id}/issues/{issue_iid}/notes",
    tool: "comment_on_issue",
    description: "Comment on an issue",
    path: issue,
    body: { body: { type: "string", description: "The text, in Markdown", required: true } },
  },
  {
    at: "get /projects/{id}/merge_requests",
    tool: "list_merge_requests",
    description: "A project's merge requests",
    path: project,
    query: {
      state: { type: "string", description: "Which ones", enum: ["opened", "closed", "locked", "merged", "all"] },
      search,
      ...page,
    },
  },
  {
    at: "get /projects/{id}/merge_requests/{merge_request_iid}",
    tool: "get_merge_request",
    description: "A merge request",
    path: mergeRequest,
  },
  {
    at: "get /projects/{id}/merge_requests/{merge_request_iid}/diffs",
    tool: "list_merge_request_diffs",
    description: "What a merge request changes, file by file",
    path: mergeRequest,
    query: page,
  },
  {
    at: "get /projects/{id}/pipelines",
    tool: "list_pipelines",
    description: "A project's pipelines, newest first",
    path: project,
    query: { ref: { type: "string", description: "Of this branch or tag" }, ...page },
  },
];

export const gitlab = {
  kind: "openapi",
  provider_id: "gitlab",
  name: "GitLab",
  description: "Projects, issues, merge requests and pipelines on gitlab.com",
  icon: monogram("GL", "#b3421a"),
  secret: {
    label: "Access token",
    description: "A personal, group or project access token with the scope read_api, or api where issues are opened",
    documentation_url: "https://docs.gitlab.com/user/profile/personal_access_tokens/",
  },
  configuration: [],
  tools: toolsOf(operations),
  auth: { kind: "api_key", location: "header", name: "PRIVATE-TOKEN" },
  check: { url: "https://gitlab.com/api/v4/user" },
  document: apiDocument({ title: "GitLab", server: "https://gitlab.com/api/v4", operations }),
} satisfies Provider;
