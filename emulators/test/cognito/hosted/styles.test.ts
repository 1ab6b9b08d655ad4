import { createServer } from "node:http";
import { expect, test } from "@jest/globals";
import { callback } from "../declarations.ts";
import { authorizeUrl, Browser, postToken, start } from "../harness.ts";

const domains = [
  { host: "auth.localhost", managedLoginVersion: 2 },
  { host: "prefix.auth.eu-central-1.amazoncognito.com", managedLoginVersion: 1 },
];

/** The pool with both domains; requests reach it under the name that `at` gives. */
async function poolAt(at: () => string) {
  const stack = await start({ domains, styledClients: ["public"] });
  await stack.addUser("ann@example.com");
  const server = createServer((request, response) => {
    request.headers.host = at();
    void stack.provider.handleHttp(request, response, baseUrl);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    ...stack,
    baseUrl,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stack[Symbol.asyncDispose]();
    },
  };
}

test("a client without a style has no page on the domain with managed login", async () => {
  await using stack = await poolAt(() => "auth.localhost");
  const page = await new Browser(stack).open(authorizeUrl(stack, { client_id: "confidential" }));
  expect(page).toMatchObject({ status: 403, html: expect.stringContaining("Login pages unavailable") });
  expect((await new Browser(stack).open(authorizeUrl(stack))).status).toBe(200);
});

test("a client without a style signs in only on the domain with a prefix, and gets its tokens there", async () => {
  let host = "prefix.auth.eu-central-1.amazoncognito.com";
  await using stack = await poolAt(() => host);
  const url = authorizeUrl(stack, { client_id: "confidential" });
  const code = async () => {
    const { leftFor } = await new Browser(stack).signIn(url, "ann@example.com");
    return leftFor?.searchParams.get("code") ?? "";
  };
  const exchange = (given: string) =>
    postToken(stack, {
      grant_type: "authorization_code",
      client_id: "confidential",
      client_secret: "s3cr3t:+/%",
      redirect_uri: callback,
      code: given,
    });
  expect((await exchange(await code())).status).toBe(200);
  const another = await code();
  host = "auth.localhost";
  expect(await exchange(another)).toMatchObject({ status: 400, error: "invalid_grant" });
});
