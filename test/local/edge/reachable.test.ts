import { expect, test } from "@jest/globals";
import { reachable } from "../../../local/edge/reachable.ts";

const edge = "http://127.0.0.1:8787";

test.each([
  [
    "a host of the platform",
    "PATCH https://api.localhost/v1/tenants/t1",
    "PATCH http://127.0.0.1:8787/@api/v1/tenants/t1",
  ],
  [
    "a host of a workspace, in a mail's HTML",
    '<a href="https://acme.proxy.localhost">x</a>',
    '<a href="http://127.0.0.1:8787/@acme.proxy">x</a>',
  ],
  ["a host of somebody else", "https://console.example.com", "https://console.example.com"],
])("%s in a text is replaced by its local address if the stack serves it", (_, text, expected) => {
  expect(reachable(text, "localhost", edge)).toBe(expected);
});
