import { afterEach, expect, test } from "@jest/globals";
import { ConnectorPort } from "../../../local/edge/connector-port.ts";
import { freePorts } from "../../support/free-ports.ts";

const opened: ConnectorPort[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function connector(edgePort?: number): Promise<string> {
  const port = new ConnectorPort("localhost", () => 0);
  await port.listen(edgePort);
  opened.push(port);
  return port.url;
}

test("the connectors' local address is the same after each start, unless another program uses the port", async () => {
  const [usual = 0] = await freePorts(1);
  const edgePort = usual - 10_000;
  const first = await connector(edgePort);
  expect(first).toBe(`http://127.0.0.1:${usual}`);
  expect(await connector(edgePort)).not.toBe(first);
  await opened.shift()?.close();
  expect(await connector(edgePort)).toBe(first);
});

test.each([undefined, 0, 60_000])("an edge at %s leaves the connectors any port", async (edgePort) => {
  expect(await connector(edgePort)).not.toBe(await connector(edgePort));
});
