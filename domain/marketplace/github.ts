// GitHub: repositories, issues and pull requests, by its REST API (docs.github.com/rest). Paths, parameters, defaults and bodies were compared
// with GitHub's own OpenAPI document, the package @octokit/openapi 23.0.2 (2026-11).
import { type ApiOperation, apiDocument, toolsOf } from "./api-document.ts";
import { monogram } from "./monogram.ts";
import type { Provider } from "./provider.ts";

const repository = {
  owner: { type: "string", description: "The account that owns the repository" },
  repo: { type: "string", description: "The repository's name" },
} as const;
const issue = { ...repository, issue_number: { type: "integer", description: "The issue's number" } } as const;
const pull = { ...repository, pull_number: { type: "integer", description: "The pull request's number" } } as const;
const page = {
  per_page: { type: "integer", description: "How many on a page, 30 unless given, 100 at the most" },
  page: { type: "integer", description: "Which page, from 1 on" },
} as const;
const state = {
  type: "string",
  description: "Which ones, open unless given",
  enum: ["open", "closed", "all"],
} as const;
const searched = {
  q: { type: "string", description: "The search in GitHub's language", required: true },
  ...page,
} as const;

const operations: readonly ApiOperation[] = [
  { at: "get /user", tool: "get_me", description: "The account that the token belongs to" },
  {
    at: "get /search/repositories",
    tool: "search_repositories",
    description: "Find repositories, e.g. `topic:mcp language:typescript`",
    query: searched,
  },
  {
    at: "get /search/issues",
    tool: "search_issues",
    description: "Find issues and pull requests, e.g. `repo:owner/name is:issue is:open label:bug`",
    query: searched,
  },
  {
    at: "get /search/code",
    tool: "search_code",
    description: "Find code, e.g. `addClass repo:owner/name`",
    query: searched,
  },
  { at: "get /repos/{owner}/{repo}", tool: "get_repository", description: "A repository", path: repository },
  {
    at: "get /repos/{owner}/{repo}/readme",
    tool: "get_readme",
    description: "A repository's README; its content is in base64",
    path: repository,
    query: { ref: { type: "string", description: "Branch, tag or commit; the default branch unless given" } },
  },
  {
    at: "get /repos/{owner}/{repo}/commits",
    tool: "list_commits",
    description: "The commits of a branch, newest first",
    path: repository,
    query: { sha: { type: "string", description: "Branch or commit to begin with" }, ...page },
  },
  {
    at: "get /repos/{owner}/{repo}/issues",
    tool: "list_issues",
    description: "A repository's issues, pull requests included",
    path: repository,
    query: { state, labels: { type: "string", description: "Names of labels, with commas between" }, ...page },
  },
  {
    at: "post /repos/{owner}/{repo}/issues",
    tool: "create_issue",
    description: "Open an issue",
    path: repository,
    body: {
      title: { type: "string", description: "The title", required: true },
      body: { type: "string", description: "The text, in Markdown" },
    },
  },
  { at: "get /repos/{owner}/{repo}/issues/{issue_number}", tool: "get_issue", description: "An issue", path: issue },
  {
    at: "get /repos/{owner}/{repo}/issues/{issue_number}/comments",
    tool: "list_issue_comments",
    description: "The comments of an issue or a pull request",
    path: issue,
    query: page,
  },
  {
    at: "post /repos/{owner}/{repo}/issues/{issue_number}/comments",
    tool: "comment_on_issue",
    description: "Comment on an issue or a pull request",
    path: issue,
    body: { body: { type: "string", description: "The text, in Markdown", required: true } },
  },
  {
    at: "get /repos/{owner}/{repo}/pulls",
    tool: "list_pull_requests",
    description: "A repository's pull requests",
    path: repository,
    query: { state, ...page },
  },
  {
    at: "get /repos/{owner}/{repo}/pulls/{pull_number}",
    tool: "get_pull_request",
    description: "A pull request",
    path: pull,
  },
  {
    at: "get /repos/{owner}/{repo}/pulls/{pull_number}/files",
    tool: "list_pull_request_files",
    description: "The files that a pull request changes, with their patches",
    path: pull,
    query: page,
  },
];

export const github = {
  kind: "openapi",
  provider_id: "github",
  name: "GitHub",
  description: "Repositories, code, issues and pull requests on github.com",
  icon: monogram("GH", "#24292f"),
  secret: {
    label: "Personal access token",
    description: "A fine-grained token with the repositories it may see, and Issues to write where issues are opened",
    documentation_url:
      "https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens",
  },
  configuration: [],
  tools: toolsOf(operations),
  auth: { kind: "bearer" },
  check: { url: "https://api.github.com/user" },
  document: apiDocument({ title: "GitHub", server: "https://api.github.com", operations }),
} satisfies Provider;
